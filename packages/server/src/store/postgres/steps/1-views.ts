// What SQL sees: a row a record, a transition of an alarm, an hour, a series. Plain SQL, so that every PostgreSQL has it.

/** As doubles are divided. */
const powers = `(array[${Array.from({ length: 13 }, (_, places) => `1e${places}`).join()}]::float8[])[c.scale + 1]`;
/** Up to here a double of seconds has every microsecond: 2106-02-07. */
const farUs = 2 ** 32 * 1_000_000;
const [usAWeek, firstWeek] = [604_800_000_000, 1565];

/** `state units authority description`: the units of the authority are of UTF-16, in which these characters have two. */
const twoUnits = String.raw`[\U00010000-\U0010FFFF]`;
const others = String.raw`[^\U00010000-\U0010FFFF]`;
const alarmHead = '^((?:IN)?ACT_(?:UN)?ACK) ([0-9]{1,7}) ';

const shownColumns =
  'site, kind, name, "time", value, text, quality, simulated, quality_code, whole, datatype, site_id, series';
const alarmColumns = 'site, name, "time", state, "by", description, simulated, site_id, series';

/** Neither more chunks nor more weeks than the span is in. */
const inSpan = `"time" >= since and "time" < until and first_us < telltale.us_of(until)
  and first_us >= telltale.week_of(telltale.us_of(since)) and last_us >= telltale.us_of(since)`;

export const views = `
create function telltale.us_of("time" timestamptz) returns bigint language sql immutable strict parallel safe as $$
  select (extract(epoch from least(greatest("time", 'epoch'), '2255-01-01Z')) * 1000000)::bigint
$$;
create function telltale.week_of(us bigint) returns bigint language sql immutable strict parallel safe as $$
  select case when us < ${firstWeek * usAWeek} then 0 else us - us % ${usAWeek} end
$$;

create view telltale.unpacked as
select t.name as site, s.kind, s.name,
  case when c.last_us < ${farUs} then to_timestamp(a.us / 1e6::float8)
    else 'epoch'::timestamptz + a.us * '1 microsecond'::interval end as "time",
  a.value, a.text,
  case when s.kind = 'measurements' then
    case a.bits & 192 when 192 then 'good' when 0 then 'bad' else 'uncertain' end end as quality,
  a.bits & 1024 <> 0 as simulated,
  case when s.kind = 'measurements' then (a.bits & 255)::smallint end as quality_code,
  case when s.datatype = 'l' then a.whole end as whole,
  s.datatype, s.site as site_id, c.series,
  a.us, c.first_us, c.last_us, c.epoch, c.place, c.part, a.k, a.bits
from telltale.series s
join telltale.site t on t.id = s.site
join telltale.chunk c on c.series = s.id
cross join lateral (
  select coalesce(u.us, c.first_us + c.step * (u.k - 1) + c.unit * coalesce(u.dt, 0)) as us,
    coalesce(u.f, u.r,
      case when s.datatype = 'f' then (coalesce(u.i, u.l) / ${powers})::real else coalesce(u.i, u.l) / ${powers} end) as value,
    coalesce(u.i, u.l) as whole, u.s as text, coalesce(c.quality, u.q) as bits, u.k
  from unnest(c.dt, c.us, c.i, c.l, c.r, c.f, c.s, c.q) with ordinality as u (dt, us, i, l, r, f, s, q, k)
) a;

create view telltale.records as select ${shownColumns} from telltale.unpacked;

create function telltale.records(name text, since timestamptz, until timestamptz) returns setof telltale.records
  language sql stable parallel safe as $$
    select ${shownColumns} from telltale.unpacked u where u.name = records.name and ${inSpan}
  $$;

create view telltale.unpacked_alarms as
select site, name, "time", state, substr(rest, 1, cut) as "by", substr(rest, cut + 1) as description,
  simulated, site_id, series, first_us, last_us
from (
  select *, substring(text from '${alarmHead}') as state, substring(text from '${alarmHead.replace('((?:', '(?:(?:')}')::integer as units,
    regexp_replace(text, '${alarmHead}', '') as rest
  from telltale.unpacked where kind = 'alarms'
) a
cross join lateral (
  select case when rest !~ '${twoUnits}' then units else (
    select min(n) from generate_series(0, length(rest)) n
    where n + length(regexp_replace(substr(rest, 1, n), '${others}', '', 'g')) >= units) end as cut
) at
where state is not null;

create view telltale.alarms as select ${alarmColumns} from telltale.unpacked_alarms;

create function telltale.alarms(since timestamptz, until timestamptz) returns setof telltale.alarms
  language sql stable parallel safe as $$
    select ${alarmColumns} from telltale.unpacked_alarms where ${inSpan}
  $$;

create view telltale.hourly as
select t.name as site, s.kind, s.name, h.hour as "time", h.least as min, h.greatest as max, h.sum / (h.n - h.bad) as avg, h.sum,
  h.n as count, h.bad, h.not_good - h.bad as uncertain, s.datatype, s.site as site_id, h.series
from telltale.series s
join telltale.site t on t.id = s.site
join telltale.hour h on h.series = s.id;
`;
