// Every file in the data folder of a plant with an archive, a function module, certificates and secrets is flipped, cut,
// emptied and removed: what was acknowledged is wholly there, or it is reported. Databases and archive have tests of their own
// for every place of their files. DAMAGE_POSITIONS says at how many places files are flipped and cut here.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, type TestContext, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import type { MeasurementRecord } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { runCli } from './cli-process.ts';
import { plantOf } from './full-disk.ts';
import { put } from './live-plant.ts';
import { moduleArgs, runServer, type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const whole = join(folder, 'whole');
const positions = Number(process.env.DAMAGE_POSITIONS ?? 2);
const program = "#!/bin/sh\necho 'all is well'\nexec sleep 1000\n";
const args = ['--demo', ...moduleArgs];
let copies = 0;

const operations = [
  put('function-modules', 'pump', { termToKill: 500, queryTimeout: 0 }),
  put('measurements', 'past', { datatype: 'd' }),
  put('connectors', 'ua', { stackName: 'opcua', vars: { endpointUrl: 'opc.tcp://127.0.0.1:9' } }),
  put('connectors', 'switches', {
    stackName: 'snmp',
    vars: { hosts: '127.0.0.1', port: '9', version: '3', user: 'u', authKey: 'file:auth', privKey: 'file:priv' },
  }),
];

const interval = { since: [1_600_000_000, 0], until: [1_600_001_000, 0] } as const;
const records = Array.from({ length: 500 }, (_, at): MeasurementRecord => [`d${at}`, [1_600_000_000 + at, 0], 0xc0]);
const archiveOf = ({ url }: ServerProcess) => new TelltaleClient({ url }).archive;
const ownFiles = ['certificate.pem', 'private-key.pem'].map((name) => join('own', name));

before(async () => {
  const server = await startServer(cleanup, { data: whole, args });
  const secrets = join(whole, 'secrets', 'switches');
  mkdirSync(secrets, { recursive: true, mode: 0o700 });
  for (const name of ['auth', 'priv']) writeFileSync(join(secrets, name), 'a long passphrase\n', { mode: 0o600 });
  const rendered = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(rendered.status, 204, await rendered.text());
  const uploaded = await server.sendBytes(
    'PUT',
    '/function-modules/pump/executable',
    'application/octet-stream',
    Buffer.from(program),
  );
  assert.equal(uploaded.status, 204);
  await archiveOf(server).backfill('measurements', 'past', records);
  await until('the module has printed', async () => (await logOf(server)).includes('all is well'));
  await until('there are certificates', async () => filesIn('stacks').length >= ownFiles.length);
  assert.equal((await plantOf(server).ask('PUT', '/data/commands/pump1_speed_setpoint?value=d42')).status, 204);
  await server.end();
});

/** Of the plant as it was left, below one of its folders. */
function filesIn(part = '.'): string[] {
  const names = existsSync(join(whole, part))
    ? readdirSync(join(whole, part), { recursive: true, encoding: 'utf8' })
    : [];
  return names.map((name) => join(part, name)).filter((name) => statSync(join(whole, name)).isFile());
}

async function logOf(server: ServerProcess): Promise<string> {
  const response = await fetch(`${server.url}/data/function-modules/pump/log`);
  assert.equal(response.status, 200);
  return response.text();
}

interface Kind {
  readonly title: string;
  /** The rest of a file, of which nobody but its owner can know what it was, may be in use. */
  readonly isEvident: boolean;
  apply(path: string): void;
}

const shares = Array.from({ length: positions }, (_, at) => (at + 1) / (positions + 1));
const kinds: readonly Kind[] = [
  ...shares.map((share, bit) => ({
    title: `flipped at ${share.toFixed(2)}`,
    isEvident: false,
    apply: (path: string) => {
      const bytes = readFileSync(path);
      const at = Math.floor(bytes.length * share);
      writeFileSync(path, bytes.length === 0 ? bytes : bytes.with(at, (bytes[at] ?? 0) ^ (1 << (bit % 8))));
    },
  })),
  ...shares.map((share) => ({
    title: `cut at ${share.toFixed(2)}`,
    isEvident: false,
    apply: (path: string) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * share)));
    },
  })),
  { title: 'emptied', isEvident: true, apply: (path) => writeFileSync(path, '') },
  { title: 'removed', isEvident: true, apply: (path) => rmSync(path) },
];

function damaged(files: readonly string[], { apply }: Kind): string {
  const data = join(folder, `copy${++copies}`);
  cpSync(whole, data, { recursive: true });
  for (const file of files) apply(join(data, file));
  return data;
}

test('every file of the folder is of a kind that has a promise', () => {
  const known = [
    /^telltale\.lock$/,
    /^(cfgdb|state|access)\.(sqlite|control)$/,
    /^archive\.control$/,
    /^format\.json$/,
    /^archive\/[\w.-]+$/,
    /^executables\/pump-\w{8}\/executable$/,
    /^modules\/pump-\w{8}\/(logs?\/out\.log|bin\/executable)$/,
    /^modules\/\.code\/.+/, // of the keeper, as Node keeps it: made again where it does not fit
    /^stacks\/.*own\/(certificate|private-key)\.pem$/,
    /^audit\/(audit-\d{16}\.jsonl|audit\.control|key-\w{16}\.pem)$/, // packages/server/src/audit/verify-trail.test.ts
    /^audit\.key$/,
    /^secrets\/switches\/(auth|priv|\.(auth|priv)\.bound)$/, // to whom it is bound: anew, and told, where that is damaged
  ];
  const found = filesIn();
  assert.deepEqual(
    found.filter((name) => !known.some((pattern) => pattern.test(name))),
    [],
  );
  for (const pattern of known)
    assert.ok(
      found.some((name) => pattern.test(name)),
      `no file is ${pattern}`,
    );
});

describe('the server starts, and all else than the databases is wholly there or reported, where files are', () => {
  for (const [round, kind] of kinds.entries()) {
    test(kind.title, async (t) => {
      const archive = filesIn('archive');
      const inArchive = archive[round % archive.length] ?? assert.fail();
      const inStack = filesIn('stacks').filter((name) => name.endsWith(ownFiles[round % 2] ?? ''));
      const secret = join('secrets', 'switches', round % 2 === 0 ? 'auth' : 'priv');
      const others = [...filesIn('executables'), ...filesIn('modules'), 'telltale.lock'];
      const data = damaged([...others, ...inStack, secret, inArchive], kind);
      const server = await startServer(t, { data, args });
      await checkModule(server);
      await checkArchive(server);
      await checkCertificates(server, data, kind);
      if (!kind.isEvident) return;
      await until('the secret is told', async () => (await lastErrorOf(server, 'switches')).includes(secret));
    });
  }
});

async function lastErrorOf(server: ServerProcess, connector: string): Promise<string> {
  const read = await plantOf(server).read<{ 'last-error': { text: string } | null }>(`/connectors/${connector}`);
  return read['last-error']?.text ?? '';
}

/** A key of which a bit was flipped may be as good as before; nothing else is. */
async function checkCertificates(server: ServerProcess, data: string, kind: Kind): Promise<void> {
  const [certificate = assert.fail()] = filesIn('stacks').filter((name) => name.endsWith('certificate.pem'));
  const mayBeGood = kind.title.startsWith('flipped');
  await until('the damage to certificates is told, where it matters', async () => {
    const error = await lastErrorOf(server, 'ua');
    if (error.includes('private-key.pem is damaged') || server.log.includes('own was incomplete')) return true;
    const isSame = () => readFileSync(join(data, certificate)).equals(readFileSync(join(whole, certificate)));
    return mayBeGood && error !== '' && isSame();
  });
}

async function checkModule(server: ServerProcess): Promise<void> {
  await until('the executable is told', async () => {
    const { status, detail } = await plantOf(server).ask('GET', '/readyz');
    return status === 503 && /executables\/pump-\w{8}\/executable is (gone|not as it was uploaded)/.test(detail);
  });
  await until('the module has failed', async () => {
    return (await plantOf(server).read<{ state: string }>('/function-modules/pump')).state === 'FAIL';
  });
  assert.ok([404, 500].includes((await server.get('/function-modules/pump/executable')).status));
  await logOf(server);
}

async function checkArchive(server: ServerProcess): Promise<void> {
  const read = await archiveOf(server)
    .read('measurements', 'past', { since: [...interval.since], until: [...interval.until] })
    .catch(() => undefined);
  const { damages } = await plantOf(server).read<{ damages: unknown[] }>('/archive/stats');
  if (damages.length === 0) assert.deepEqual(read, records);
  const { stdout } = await runCli(['status'], { url: server.url });
  const { archiveDamaged } = JSON.parse(stdout) as { archiveDamaged: string[] };
  assert.equal(archiveDamaged.length > 0, damages.length > 0, 'telltale status tells of it');
}

describe('the configuration and what is live are wholly there, reported or refused in one line, where', {
  concurrency: 2,
}, () => {
  for (const name of [
    'cfgdb.sqlite',
    'cfgdb.control',
    'state.sqlite',
    'state.control',
    'access.sqlite',
    'access.control',
    'format.json',
  ]) {
    for (const kind of [kinds[0], kinds.at(-1)] as Kind[]) {
      test(`${name} is ${kind.title}`, async (t) => {
        const data = damaged([name], kind);
        const server = await startedOrRefused(t, data);
        if (server === undefined) return;
        const { ask, read } = plantOf(server);
        if ((await ask('GET', '/readyz')).status === 503) return;
        const { vt } = await read<{ vt: [string] }>('/commands/pump1_speed_setpoint');
        assert.equal(vt[0], 'd42');
        assert.equal((await server.get('/measurements/past')).status, 200);
      });
    }
  }
});

/** Undefined where it is refused in one line that has the path. */
async function startedOrRefused(t: TestContext, data: string): Promise<ServerProcess | undefined> {
  try {
    return await startServer(t, { data, args });
  } catch {
    const { code, stderr } = await runServer(['--data', data, '--port', '0', ...args]);
    assert.equal(code, 1);
    assert.match(stderr, /^telltale: [^\n]+\n$/);
    assert.ok(stderr.includes(data), stderr);
    return undefined;
  }
}
