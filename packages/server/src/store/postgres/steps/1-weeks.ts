// Partitions: one a week, which the sealer asks for when it has records of it, and one at each end for those of a wrong clock.

/** 1999-12-30 to 2100-01-07, in weeks since 1970-01-01, which was a Thursday. */
const [firstWeek, lastWeek] = [1565, 6783];
const usAWeek = 7 * 86_400_000_000;

/** Owned by whoever owns the tables: roles that write need not. */
const definer = 'language plpgsql security definer set search_path = pg_catalog, pg_temp';
const options = `autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05`;

/** Of who reads a store that a week is to be dropped of, nobody waits longer. */
const dropWaits = '2s';

/** As a literal. */
function instant(week: number): string {
  return `'${new Date((week * usAWeek) / 1000).toISOString()}'`;
}

export const weeks = `
create table telltale.chunk_before partition of telltale.chunk for values from (minvalue) to (${firstWeek * usAWeek});
create table telltale.chunk_after partition of telltale.chunk for values from (${(lastWeek + 1) * usAWeek}) to (maxvalue);
create table telltale.hour_before partition of telltale.hour for values from (minvalue) to (${instant(firstWeek)});
create table telltale.hour_after partition of telltale.hour for values from (${instant(lastWeek + 1)}) to (maxvalue);

create function telltale.add_week(week bigint) returns void ${definer} as $$
declare
  since bigint := week * ${usAWeek};
  parent text;
  part text;
  key text;
  bounds text[];
begin
  if week not between ${firstWeek} and ${lastWeek} then
    return;
  end if;
  foreach parent in array array['chunk', 'hour'] loop
    part := parent || '_w' || week;
    continue when to_regclass('telltale.' || part) is not null;
    -- Made beside the others, since a table that is made as a partition waits for everybody who reads.
    lock table telltale.meta in share row exclusive mode;
    continue when to_regclass('telltale.' || part) is not null;
    key := case parent when 'chunk' then 'first_us' else 'hour' end;
    bounds := case parent
      when 'chunk' then array[since, since + ${usAWeek}]::text[]
      else array[to_timestamp(since / 1000000), to_timestamp((since + ${usAWeek}) / 1000000)]::text[] end;
    execute format(
      'create table telltale.%I (like telltale.%I including all, check (%I >= %L and %I < %L)) with (${options}%s)',
      part, parent, key, bounds[1], key, bounds[2],
      case parent when 'chunk' then ', toast.autovacuum_vacuum_scale_factor = 0.05' else ', fillfactor = 80' end);
    execute format(
      'alter table telltale.%I attach partition telltale.%I for values from (%L) to (%L)',
      parent, part, bounds[1], bounds[2]);
    execute format('alter table telltale.%I drop constraint %I', part, part || '_' || key || '_check');
  end loop;
end $$;
revoke all on function telltale.add_week from public;

create function telltale.drop_week(keep timestamptz, keep_hours timestamptz) returns text ${definer} set lock_timeout = '${dropWaits}' as $$
declare
  part text;
begin
  -- One, since while it waits for those who read, everybody else waits for it.
  select name into part from (
    select relname as name, substring(relname from '^(?:chunk|hour)_w([0-9]+)$')::bigint as week,
      case inhparent when 'telltale.chunk'::regclass then keep else keep_hours end as kept
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent in ('telltale.chunk'::regclass, 'telltale.hour'::regclass)
  ) parts
  where to_timestamp((week + 1) * ${usAWeek / 1_000_000}) <= kept order by week limit 1;
  if part is not null then
    execute format('drop table telltale.%I', part);
  end if;
  return part;
end $$;
revoke all on function telltale.drop_week from public;
`;
