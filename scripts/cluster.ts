// npm run cluster [-- --folder FOLDER]: starts a whole plant on this machine, to try it: PostgreSQL, NATS, etcd, three sites, one of them of
// two nodes, and a centre. All of it listens on loopback alone, keeps what it has in one temporary folder, and ends with this program.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Engines, missingEngines, startEngines } from './cluster/engines.ts';
import { type Experiment, experimentsOf } from './cluster/experiments.ts';
import { type Servers, startServers } from './cluster/servers.ts';

const { values } = parseArgs({ options: { folder: { type: 'string' } } });

process.exitCode = await main();

async function main(): Promise<number> {
  const missing = missingEngines();
  if (missing !== undefined) {
    process.stderr.write(`${missing}\n`);
    return 1;
  }
  if (values.folder !== undefined) {
    mkdirSync(values.folder, { recursive: true });
    process.env.TMPDIR = resolve(values.folder);
  }
  const asked = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => asked.abort());
  const ended = new Promise<void>((resolve) => asked.signal.addEventListener('abort', () => resolve()));
  const scope = new AsyncDisposableStack();
  const started = start(scope, asked.signal);
  let code = 0;
  try {
    await Promise.race([started.then(() => ended), ended]);
  } catch (error) {
    process.stderr.write(`\n${(error as Error).message}\n`);
    code = 1;
  }
  process.stdout.write('\nEnding everything that was started here …\n');
  asked.abort();
  await scope.disposeAsync();
  await started.catch(() => undefined);
  process.stdout.write('Nothing of it is left.\n');
  return code;
}

async function start(scope: AsyncDisposableStack, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  const begin = (what: string) => {
    signal.throwIfAborted();
    const seconds = ((performance.now() - begun) / 1000).toFixed(0).padStart(3);
    process.stdout.write(`${seconds} s  ${what} …\n`);
  };
  const engines = await startEngines(scope, begin);
  const servers = await startServers(scope, engines, begin);
  process.stdout.write(`\n${tableOf(engines, servers)}\n\n`);
  for (const [index, experiment] of experimentsOf(servers, engines).entries()) {
    process.stdout.write(`${index + 1}. ${textOf(experiment)}\n\n`);
  }
  process.stdout.write('Ready. Ctrl-C ends everything.\n');
}

function tableOf(engines: Engines, { centre, north, south, nodes }: Servers): string {
  const { postgres, nats, members, store, bus } = engines;
  const rows = [
    ['WHAT', 'ADDRESS', 'PID'],
    ...[centre, north, south, ...nodes].map(({ what, url, pid }) => [what, `${url}/`, String(pid)]),
    ['PostgreSQL', store, String(postgres.pid)],
    ['NATS', bus, String(nats.pid)],
    ...members.map(({ name, url, pids }) => [name, url, String(pids[0])]),
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

function textOf({ title, act, look, shows, undo }: Experiment): string {
  const lines = [title, `     ${act}`, `   look:     ${look}`, `   it shows: ${shows}`];
  if (undo !== undefined) lines.push(`   back:     ${undo}`);
  return lines.join('\n');
}
