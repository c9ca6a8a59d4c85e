select s.shift_key, (now() at time zone h.time_zone)::date as today
from {{ ref('stg_shifts') }} s
join {{ ref('stg_shops') }} h using (shop_id)
where s.starts_local::date = (now() at time zone h.time_zone)::date
