import { systemClock } from '@telltale/schema';
import { Columns, encodeParcel, type Section } from '../packages/server/src/archive/index.ts';
import { traitsOf, form } from '@telltale/schema';
import { makeData, type TimeForm } from './archive-data.ts';
import { PostgresStore } from '../packages/server/src/store/postgres/postgres-store.ts';
import { Connections } from '../packages/server/src/store/postgres/connections.ts';
import { readAddress } from '../packages/server/src/store/postgres/address.ts';
import { Sealer } from '../packages/server/src/store/postgres/seal/sealer.ts';
import { readFileSync } from 'node:fs';

const [formName = 'shared', scansText = '2000', perParcelText = '100', everyText = '0'] = process.argv.slice(2);
const { url } = JSON.parse(readFileSync('/tmp/pgs-scratch/pg15.json', 'utf8'));
const data = makeData(1000, Number(scansText), formName as TimeForm);
const store = new PostgresStore({ address: url, clock: systemClock });
const site = `site-${formName}-${Date.now()}`;
const { epoch } = await store.claim(site);
const connections = new Connections({ address: readAddress(url), clock: systemClock, session: 'read-write', most: 1 });
const sealer = new Sealer({ connections, clock: systemClock, everyMs: 0, onState() {} });
const per = Number(perParcelText);
let seq = 0;
const spent = new Map<string, { ms: number; n: number }>();
await connections.use(async (c) => {
  for (const method of ['query', 'copyIn', 'copyOut'] as const) {
    const own = (c as any)[method].bind(c);
    (c as any)[method] = async (text: any, ...rest: any[]) => {
      const t = performance.now();
      try { return await own(text, ...rest); } finally {
        const key = `${method} ${String(text.text ?? text).replace(/\s+/g, ' ').slice(0, 50)}`;
        const e = spent.get(key) ?? { ms: 0, n: 0 };
        e.ms += performance.now() - t; e.n++;
        spent.set(key, e);
      }
    };
  }
});
const pid = (await connections.use((c) => c.query<{ pid: number }>('select pg_backend_pid() as pid'))).rows[0]!.pid;
const cpuOf = () => { const f = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' '); return (Number(f[11]) + Number(f[12])) * 10; };
const pgCpu0 = cpuOf();
let encodeMs = 0;
let sealMs = 0;
let bytesAll = 0;
const every = Number(everyText);
for (let scan = 0; scan < data.scans; scan += per) {
  const t0 = performance.now();
  const n = Math.min(per, data.scans - scan);
  const columns = new Columns(n * 1000);
  columns.count = n * 1000;
  const ends = new Uint32Array(1000);
  for (let s = 0; s < 1000; s++) {
    for (let k = 0; k < n; k++) {
      const from = (scan + k) * 1000 + s;
      const to = s * n + k;
      columns.times[to] = data.times[from] as number;
      columns.qualities[to] = data.qualities[from] as number;
      if (traitsOf(data.series[s]!.datatype).form === form.long) columns.longs[to] = BigInt(data.values[from] as number);
      else columns.numbers[to] = data.values[from] as number;
    }
    ends[s] = (s + 1) * n;
  }
  const section: Section = { from: scan * 1000, to: (scan + n) * 1000, isRepeated: false, superseded: 0, series: Uint32Array.from({ length: 1000 }, (_, i) => i), ends, columns };
  const series = seq === 0 ? data.series.map((each, number) => ({ number, kind: 'measurements' as const, name: each.name, datatype: each.datatype })) : [];
  const parcel = { site, epoch, seq: ++seq, madeUs: 1, position: '', counters: { stored: 0, dropped: 0, discarded: 0, discardedSinceUs: 0, discardedUntilUs: 0, backlog: 0, oldestUnsentUs: 0 }, series, erasures: [], sections: [section] };
  const bytes = encodeParcel(parcel, (number) => data.series[number]!.datatype);
  bytesAll += bytes.length;
  encodeMs += performance.now() - t0;
  await store.send(site, epoch, seq, bytes);
  if (every > 0 && seq % every === 0) { const t = performance.now(); await sealer.sealAll(); sealMs += performance.now() - t; }
}
if (process.env.ONLY_SEND) { store.close(); connections.close(); process.exit(0); }
const cpu = process.cpuUsage();
const t = performance.now();
await sealer.sealAll();
sealMs += performance.now() - t;
const used = process.cpuUsage(cpu);
console.log({ site, records: data.records, bytesARecord: bytesAll / data.records, encodeMs, sealMs, mPerS: data.records / sealMs / 1000, nodeCpuMs: (used.user + used.system) / 1000 });
console.log('backend cpu ms', cpuOf() - pgCpu0, [...spent].sort((a, b) => b[1].ms - a[1].ms).slice(0, 10).map(([k, v]) => `${k}: ${v.ms.toFixed(0)} ms in ${v.n}`));
const sizes = await connections.use((c) => c.query(`select count(*) n, avg(n) from telltale.chunk c join telltale.series s on s.id = c.series where s.site = $1`, [site]));
console.log(sizes.rows);
store.close();
connections.close();
