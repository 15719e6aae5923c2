// The tables as they were first. What they mean is in SCHEMA.md.

export const tables = `
create table telltale.site (
  id text primary key check (octet_length(id) between 1 and 64),
  name text not null,
  first_seen timestamptz not null default now()
);

create table telltale.stream (
  site text not null references telltale.site on update cascade,
  epoch bigint not null check (epoch > 0),
  begun timestamptz not null default now(),
  ended timestamptz,
  seq bigint not null default 0,
  position text not null default '',
  made_us bigint,
  received timestamptz,
  stored bigint not null default 0,
  dropped bigint not null default 0,
  discarded bigint not null default 0,
  discarded_since_us bigint not null default 0,
  discarded_until_us bigint not null default 0,
  backlog bigint not null default 0,
  oldest_unsent_us bigint not null default 0,
  primary key (site, epoch)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

create table telltale.parcel (
  site text not null,
  epoch bigint not null,
  seq bigint not null,
  received timestamptz not null default now(),
  bytes bytea not null,
  primary key (site, epoch, seq)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 20000
);
alter table telltale.parcel alter column bytes set storage external;

create table telltale.damaged (
  site text not null,
  epoch bigint not null,
  seq bigint not null,
  received timestamptz not null,
  reason text not null,
  bytes bytea not null,
  primary key (site, epoch, seq)
);

create table telltale.sealed (
  site text primary key references telltale.site on update cascade,
  epoch bigint not null,
  seq bigint not null,
  whole_since bigint not null,
  whole_until bigint not null
) with (fillfactor = 50);

create table telltale.series (
  id bigint generated always as identity primary key,
  site text not null references telltale.site on update cascade,
  kind text not null check (kind in ('measurements', 'commands', 'alarms')),
  name text not null,
  datatype text not null
);
create index series_site on telltale.series (site, kind, name);
create index series_name on telltale.series (name);
create index series_alarms on telltale.series (id) where kind = 'alarms';

create table telltale.stream_series (
  site text not null,
  epoch bigint not null,
  number bigint not null,
  series bigint not null references telltale.series,
  primary key (site, epoch, number)
);

create table telltale.erasure (
  series bigint not null references telltale.series,
  since_us bigint not null,
  until_us bigint not null,
  epoch bigint not null,
  place bigint not null,
  primary key (series, since_us, until_us, epoch, place)
);

create table telltale.chunk (
  series bigint not null,
  first_us bigint not null,
  epoch bigint not null,
  place bigint not null,
  last_us bigint not null,
  step bigint not null,
  unit bigint not null,
  least float8,
  greatest float8,
  sum float8,
  part integer not null,
  n integer not null,
  bad integer not null,
  not_good integer not null,
  scale smallint not null,
  quality smallint,
  flags smallint not null,
  dt integer[],
  us bigint[],
  i integer[],
  l bigint[],
  r real[],
  f float8[],
  s text[],
  utf16 bytea[],
  q smallint[],
  summary bytea,
  primary key (series, first_us, epoch, place, part)
) partition by range (first_us);

create table telltale.hour (
  series bigint not null,
  hour timestamptz not null,
  least float8,
  greatest float8,
  sum float8,
  n integer not null,
  bad integer not null,
  not_good integer not null,
  primary key (series, hour)
) partition by range (hour);
`;
