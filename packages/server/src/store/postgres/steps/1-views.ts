// What is shown of chunks: a row a record.

/** As doubles are divided. */
const powers = `(array[${Array.from({ length: 13 }, (_, places) => `1e${places}`).join()}]::float8[])[c.scale + 1]`;

export const views = `
create view telltale.unpacked as
select c.series, c.first_us, c.last_us, c.epoch, c.place, c.part, a.k,
  coalesce(a.us, c.first_us + c.step * (a.k - 1) + c.unit * coalesce(a.dt, 0)) as us,
  case
    when a.f is not null then a.f
    when a.r is not null then a.r
    when s.datatype = 'f' then (coalesce(a.i, a.l) / ${powers})::real
    else coalesce(a.i, a.l) / ${powers}
  end as value,
  case when s.datatype = 'l' then coalesce(a.i, a.l) end as whole,
  a.s as text,
  coalesce(c.quality, a.q) as quality,
  s.kind = 'measurements' and coalesce(c.quality, a.q) & 192 = 0 as is_bad,
  s.kind <> 'measurements' or coalesce(c.quality, a.q) & 192 = 192 as is_good
from telltale.series s
join telltale.chunk c on c.series = s.id
cross join lateral unnest(c.dt, c.us, c.i, c.l, c.r, c.f, c.s, c.q) with ordinality as a (dt, us, i, l, r, f, s, q, k);
`;
