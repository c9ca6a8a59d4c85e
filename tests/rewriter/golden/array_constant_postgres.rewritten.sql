SELECT (COALESCE(seen AT TIME ZONE (SELECT utc_offsets FROM time_zone_conversion_zone WHERE time_zone_name::text = 'Asia/Tehran')[pg_catalog.width_bucket(seen, (SELECT starts_at_instant FROM time_zone_conversion_zone WHERE time_zone_name::text = 'Asia/Tehran'))], seen AT TIME ZONE 'Asia/Tehran'))::date AS day, count(*)
FROM actions
GROUP BY day
