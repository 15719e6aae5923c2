// Runs the benchmarks, or those that are named, and prints their ratios:
// npm run bench -- [--strict] [--quick] [--millions N] [NAME…]
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { abuse } from './abuse.ts';
import { archive } from './archive.ts';
import { archiveAggregates } from './archive-aggregates.ts';
import { archiveGrowth } from './archive-growth.ts';
import { archiveLatency } from './archive-latency.ts';
import { archiveTrend } from './archive-trend.ts';
import { audit } from './audit.ts';
import { collection } from './collection.ts';
import { flow } from './flow.ts';
import { https } from './https.ts';
import { liveRead } from './live-read.ts';
import type { Benchmark, Result } from './measure.ts';
import { memory } from './memory.ts';
import { parquet } from './parquet.ts';
import { plainServer } from './plain-server.ts';
import { push } from './push.ts';
import { scaling } from './scaling.ts';
import { selectors100k } from './selectors.ts';
import { sharedState } from './shared-state.ts';
import { stacks } from './stacks.ts';
import { stacksBlocks } from './stacks-blocks.ts';
import { stacksGreed } from './stacks-greed.ts';
import { start } from './start.ts';
import { store } from './store.ts';
import { storeRead } from './store-read.ts';
import { tables } from './tables.ts';
import { transaction } from './transaction.ts';
import { typicals } from './typicals.ts';
import { uplinkBytes } from './uplink-bytes.ts';
import { uplinkLoad, uplinkPeak } from './uplink-load.ts';
import { uplinkOutage } from './uplink-outage.ts';
import { uplinkReturn } from './uplink-return.ts';
import { webGrid } from './web-grid.ts';
import { webLoad } from './web-load.ts';
import { webTrend } from './web-trend.ts';

const benchmarks: readonly Benchmark[] = [
  transaction,
  tables,
  typicals,
  scaling,
  collection,
  start,
  plainServer,
  flow,
  liveRead,
  https,
  selectors100k,
  push,
  memory,
  stacks,
  stacksBlocks,
  stacksGreed,
  archive,
  archiveGrowth,
  archiveTrend,
  archiveAggregates,
  archiveLatency,
  parquet,
  store,
  storeRead,
  uplinkBytes,
  uplinkLoad,
  uplinkPeak,
  uplinkOutage,
  uplinkReturn,
  sharedState,
  audit,
  abuse,
  webLoad,
  webGrid,
  webTrend,
];

const { values, positionals } = parseArgs({
  options: {
    strict: { type: 'boolean' },
    quick: { type: 'boolean', default: false },
    millions: { type: 'string', default: '100' },
  },
  allowPositionals: true,
});
const options = { quick: values.quick, millions: Number(values.millions) };
const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => isMeant(benchmark, name)));
if (unknown.length > 0) {
  process.stderr.write(
    `no benchmark ${unknown.join(', ')}; there are ${benchmarks.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

const say = (text: string) => process.stdout.write(`${text}\n`);
const results: Result[] = [];
for (const benchmark of benchmarks) {
  if (positionals.length > 0 && !positionals.some((name) => isMeant(benchmark, name))) continue;
  say(`\n${benchmark.title} (load of the machine: ${loadavg()[0]?.toFixed(1)})`);
  results.push(...(await benchmark.run((text) => say(`  ${text}`), options)));
}
const width = Math.max(...results.map(({ what }) => what.length));
say(`\n${'Ratio, median of the run'.padEnd(width)}  Figure  Wanted  Holds`);
for (const { what, figure, wanted = '', holds } of results) {
  const verdict = holds === undefined ? '' : holds ? 'yes' : 'NO';
  say(`${what.padEnd(width)}  ${figure.padStart(6)}  ${wanted.padStart(6)}  ${verdict}`);
}
if (values.strict && results.some(({ holds }) => holds === false)) process.exitCode = 1;

/** `archive` means `archive-trend` as well. */
function isMeant(benchmark: Benchmark, name: string): boolean {
  return benchmark.name === name || benchmark.name.startsWith(`${name}-`);
}
