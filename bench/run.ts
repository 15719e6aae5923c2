// Runs the benchmarks, or those that are named, and prints their ratios: npm run bench -- [--strict] [NAME…]
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { chain } from './chain.ts';
import { collection } from './collection.ts';
import { liveRead } from './live-read.ts';
import type { Benchmark, Result } from './measure.ts';
import { memory } from './memory.ts';
import { push } from './push.ts';
import { scaling } from './scaling.ts';
import { start } from './start.ts';
import { transaction } from './transaction.ts';

const benchmarks: readonly Benchmark[] = [transaction, scaling, collection, start, chain, liveRead, push, memory];

const { values, positionals } = parseArgs({ options: { strict: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `no benchmark ${unknown.join(', ')}; there are ${benchmarks.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

const say = (text: string) => process.stdout.write(`${text}\n`);
const results: Result[] = [];
for (const benchmark of benchmarks) {
  if (positionals.length > 0 && !positionals.includes(benchmark.name)) continue;
  say(`\n${benchmark.title} (load of the machine: ${loadavg()[0]?.toFixed(1)})`);
  results.push(...(await benchmark.run((text) => say(`  ${text}`))));
}
const width = Math.max(...results.map(({ what }) => what.length));
say(`\n${'Ratio, median of the run'.padEnd(width)}  Figure  Wanted  Holds`);
for (const { what, figure, wanted = '', holds } of results) {
  const verdict = holds === undefined ? '' : holds ? 'yes' : 'NO';
  say(`${what.padEnd(width)}  ${figure.padStart(6)}  ${wanted.padStart(6)}  ${verdict}`);
}
if (values.strict && results.some(({ holds }) => holds === false)) process.exitCode = 1;
