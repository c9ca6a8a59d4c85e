SELECT (CASE WHEN action_event_time >= TIMESTAMP '2016-01-01 00:00:00' AND action_event_time < TIMESTAMP '2028-01-01 00:00:00' THEN make_timestamp(epoch_us(action_event_time) + CASE
  WHEN action_event_time < TIMESTAMP '2022-09-21 19:30:00' THEN
    CASE
      WHEN action_event_time < TIMESTAMP '2020-09-20 19:30:00' THEN
        CASE
          WHEN action_event_time < TIMESTAMP '2018-09-21 19:30:00' THEN
            CASE
              WHEN action_event_time < TIMESTAMP '2017-03-21 20:30:00' THEN
                CASE WHEN action_event_time < TIMESTAMP '2016-03-20 20:30:00' THEN 12600000000 WHEN action_event_time < TIMESTAMP '2016-09-20 19:30:00' THEN 16200000000 ELSE 12600000000 END
              ELSE
                CASE WHEN action_event_time < TIMESTAMP '2017-09-21 19:30:00' THEN 16200000000 WHEN action_event_time < TIMESTAMP '2018-03-21 20:30:00' THEN 12600000000 ELSE 16200000000 END
            END
          ELSE
            CASE WHEN action_event_time < TIMESTAMP '2019-03-21 20:30:00' THEN 12600000000 WHEN action_event_time < TIMESTAMP '2019-09-21 19:30:00' THEN 16200000000 WHEN action_event_time < TIMESTAMP '2020-03-20 20:30:00' THEN 12600000000 ELSE 16200000000 END
        END
      ELSE
        CASE WHEN action_event_time < TIMESTAMP '2021-03-21 20:30:00' THEN 12600000000 WHEN action_event_time < TIMESTAMP '2021-09-21 19:30:00' THEN 16200000000 WHEN action_event_time < TIMESTAMP '2022-03-21 20:30:00' THEN 12600000000 ELSE 16200000000 END
    END
  ELSE
    12600000000
END) ELSE action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tehran' END)::date AS day, count(*)
FROM actions
GROUP BY day
