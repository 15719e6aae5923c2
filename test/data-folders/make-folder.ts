// Makes a data folder with everything in it, by the server of these sources, and writes down what is read from it:
// `node test/data-folders/make-folder.ts test/data-folders/format-N`. Run once a format, by the last program that has it.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TelltaleClient } from '@telltale/client';
import { datatypes, type MeasurementRecord } from '@telltale/schema';
import { put } from '../live-plant.ts';
import { fullest } from '../sample-objects.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { until } from '../until.ts';
import { readFolder } from './read-folder.ts';

const values: Record<string, readonly string[]> = {
  b: ['b0', 'b1'],
  q: ['q0', 'q3'],
  i: ['i-2147483648', 'i7'],
  l: ['l-9223372036854775808', 'l9007199254740993'],
  f: ['f-0.5', 'f16777216'],
  d: ['d0.1', 'd-12345.678'],
  s: ['s', 'sGrüße, "Wörter"\n'],
};

const firstSecond = 1_600_000_000;

/** The time of day when the folder is made: before that of every machine that tests it. */
const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');
const longAgo = { LD_PRELOAD: library, FAKETIME: '@2025-01-01 12:00:00', FAKETIME_DONT_FAKE_MONOTONIC: '1' };

const program = "#!/bin/sh\necho 'all is well'\n";

const plant = [
  put('connectors', 'device', { stackName: 'simulator', vars: { scanPeriodMs: '50' }, wdtMeasurement: 'device_up' }),
  put('providers', 'panel', { stackName: 'simulator', properties: { place: 'control room' } }),
  put('measurements', 'device_up', { datatype: 'b' }),
  put('measurements', 'level', {
    ...fullest('measurements', 'level'),
    datatype: 'd',
    address: 'echo(level)',
    connectorName: 'device',
    providerAddresses: { panel: 'tank1.level' },
    leader: 'all_d',
    archPeriod: 0,
    enabled: true,
  }),
  ...datatypes.map((datatype) => put('measurements', `all_${datatype}`, { datatype, archMode: 'change' })),
  put('measurements', 'gone', { datatype: 'd', archMode: 'change', properties: { archRetention: '90y' } }),
  put('commands', 'setpoint', { datatype: 'd', archMode: 'change', initialValue: '20', eu: '°C' }),
  put('commands', 'to_device', { datatype: 'd', connectorName: 'device', address: 'echo(level)' }),
  put('alarms', 'high', {
    severity: 1,
    trgMeasurement: 'level',
    trgOperator: 'gt',
    trgRefValue: '70',
    archMode: 'change',
  }),
  put('alarms', 'by_hand', { severity: 3, description: 'by hand', groupName: 'tanks', archMode: 'change' }),
  put('function-modules', 'greeter', { termToKill: 500, queryTimeout: 0, runMode: 'once', executable: 'bin/greet.sh' }),
];

async function change(server: ServerProcess, method: string, path: string, body?: unknown, type?: string) {
  const response = await fetch(server.url + path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': type ?? 'application/json' } }),
    ...(body !== undefined && { body: type === undefined ? JSON.stringify(body) : String(body) }),
  });
  assert.equal(response.status, 204, `${method} ${path}: ${await response.text()}`);
}

async function fill(server: ServerProcess): Promise<void> {
  await change(server, 'POST', '/config/v2/cfgdb/txn?render=1', { operations: plant });
  const executable = '/config/v2/function-modules/greeter/executable';
  await change(server, 'PUT', executable, program, 'application/octet-stream');
  const { archive } = new TelltaleClient({ url: server.url });
  for (const datatype of datatypes) {
    const records = values[datatype]?.map(
      (value, at): MeasurementRecord => [value, [firstSecond + at, at], at === 0 ? 0xc0 : 0x44],
    );
    await archive.backfill('measurements', `all_${datatype}`, records ?? []);
  }
  await archive.backfill('measurements', 'gone', [['d1', [firstSecond, 0], 0xc0]]);
  await archive.backfill('commands', 'setpoint', [['d1', [firstSecond, 0]]]);
  await change(server, 'DELETE', `/data/archive/measurements/all_i/${firstSecond}/${firstSecond + 1}`);
  assert.match(await (await fetch(`${server.url}/data/archive/compact`, { method: 'POST' })).text(), /done/);
  await change(server, 'PUT', '/data/commands/setpoint?value=d42.5');
  await change(server, 'PUT', '/data/measurements/level?value=d75.25');
  await change(server, 'POST', '/data/alarms/by_hand/activate?authority=ann');
  await change(server, 'POST', '/data/alarms/by_hand/acknowledge?authority=bob');
  const text = async (path: string) => (await fetch(server.url + path)).text();
  await until('the module has run', async () =>
    (await text('/data/function-modules/greeter/log')).includes('all is well'),
  );
  await change(server, 'DELETE', '/config/v2/measurements/gone');
  await change(server, 'POST', '/config/v2/cfgdb/render');
  await change(server, 'PUT', '/config/v2/alarms/edited', { name: 'edited', severity: 2 });
  await change(server, 'PUT', '/config/v2/measurements/all_b', {
    name: 'all_b',
    datatype: 'b',
    description: 'changed',
  });
  await change(server, 'DELETE', '/config/v2/measurements/all_q');
}

async function make(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const data = join(folder, 'data');
  await using cleanup = new AsyncDisposableStack();
  const server = await startServer(cleanup, { data, env: longAgo });
  await fill(server);
  const read = await readFolder(server);
  writeFileSync(join(folder, 'contents.json'), `${JSON.stringify(read, null, 1)}\n`);
  await server.end();
  for (const name of ['telltale.lock', 'temporary', 'modules/.code'])
    rmSync(join(data, name), { recursive: true, force: true });
}

await make(process.argv[2] ?? 'test/data-folders/made');
