SELECT seen AT TIME ZONE 'America/New_York', count(*)
FROM actions
WHERE seen >= '2026-01-01 00:00:00+00' AND seen < '2027-01-01 00:00:00+00'
GROUP BY 1;
