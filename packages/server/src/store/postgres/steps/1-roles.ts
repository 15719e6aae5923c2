// Who may do what, beside the owner of the tables. Roles that a cluster has already are given rights, since making roles takes rights
// that owners of databases often lack, and roles are the same in every database of a cluster.

const archiverRights = {
  site: 'insert, update (name)',
  stream: 'insert, update',
  parcel: 'insert, delete',
  damaged: 'insert',
  sealed: 'insert, update',
  series: 'insert, update (name)',
  stream_series: 'insert',
  erasure: 'insert',
  chunk: 'insert, delete',
  hour: 'insert, update, delete',
};

const granted = Object.entries(archiverRights).map(
  ([table, rights]) => `execute format('grant ${rights} on telltale.${table} to %I', role);`,
);

export const roles = `
create function telltale.grant_reader(role name) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  relation name;
begin
  execute format('grant usage on schema telltale to %I', role);
  for relation in
    select relname from pg_class
    where relnamespace = 'telltale'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition
  loop
    execute format('grant select on telltale.%I to %I', relation, role);
  end loop;
end $$;
revoke all on function telltale.grant_reader from public;

create function telltale.grant_archiver(role name) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform telltale.grant_reader(role);
  ${granted.join('\n  ')}
  execute format('grant usage on sequence telltale.series_id_seq to %I', role);
  execute format('grant execute on function telltale.add_week, telltale.drop_week to %I', role);
end $$;
revoke all on function telltale.grant_archiver from public;
`;
