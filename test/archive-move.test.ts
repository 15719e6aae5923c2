// `telltale archive move` between a data folder and a real PostgreSQL, whatever interrupts it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, describe, test } from 'node:test';
import { cleanupOf, type Scope, suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { ArchiveReading } from '../packages/server/src/archive/index.ts';
import { addRecord, datatypeOf, erasedFrom, makeArchive, nameOf, seriesCount, startOf } from './archive-world.ts';
import { type CliResult, spawnCli } from './cli-process.ts';
import { Postgres } from './engines/postgres.ts';
import { withoutPostgres } from './engines/postgres-programs.ts';
import { mainFile, startServer } from './server-process.ts';

const rounds = 120;
const names = Array.from({ length: seriesCount }, (_, series) => nameOf(series)).sort();

interface Moved {
  readonly site: { readonly id: string; readonly name: string };
  readonly names: number;
  readonly records: number;
  readonly differences: readonly unknown[];
}

/** A data folder with an archive, some of which was erased and replaced. */
async function fill(data: string): Promise<void> {
  const archive = makeArchive(data);
  await archive.open();
  const refOf = (series: number) => {
    return archive.records.refOf({ kind: 'measurements', name: nameOf(series), datatype: datatypeOf(series) });
  };
  for (let round = 0; round < rounds; round++) {
    for (let series = 0; series < seriesCount; series++) addRecord(archive.records.batch, refOf(series), series, round);
    archive.records.added();
    await archive.stored();
  }
  for (let series = erasedFrom; series < seriesCount; series++) {
    await archive.erase('measurements', nameOf(series), startOf(10), startOf(20 + series - erasedFrom));
  }
  await archive.close(10_000);
}

async function answerOf(read: Pick<ArchiveReading, 'read'>): Promise<string> {
  const all = { names, known: [], sinceUs: 0, untilUs: Number.MAX_SAFE_INTEGER };
  const result = await read.read({ kind: 'measurements', form: 'json', ...all });
  const whole = result.takeWhole();
  if (whole !== undefined) return String(whole.bytes);
  const pages: Buffer[] = [];
  for await (const page of result) pages.push(Buffer.from(page));
  return String(Buffer.concat(pages));
}

async function answerIn(data: string): Promise<string> {
  const archive = makeArchive(data);
  await archive.open();
  try {
    return await answerOf(archive);
  } finally {
    await archive.close(10_000);
  }
}

function movedBy({ code, stdout, stderr }: CliResult): Moved {
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Moved;
}

describe('telltale archive move', { skip: withoutPostgres('15') }, () => {
  const scope = suiteCleanup();
  let postgres: Postgres;
  let env: NodeJS.ProcessEnv;
  let databases = 0;
  before(async () => {
    postgres = await Postgres.start(scope);
    await postgres.addRole('archiver');
    env = { PGPASSWORD: new URL(postgres.url('archiver')).password };
  });

  async function database(): Promise<string> {
    const name = `plant_${++databases}`;
    await postgres.query(`CREATE DATABASE ${name} OWNER archiver`);
    const address = new URL(postgres.url('archiver', { database: name }));
    address.password = '';
    return address.href;
  }

  const move = (...args: string[]) => spawnCli(['archive', 'move', ...args], { url: 'http://127.0.0.1:55', env });

  /** The program of the server, killed as soon as it is in this step. */
  async function killedWhile(t: Scope, step: string, ...args: string[]): Promise<void> {
    const child = spawn(process.execPath, [mainFile, 'move-archive', ...args], { env: { ...process.env, ...env } });
    cleanupOf(t).defer(() => void child.kill('SIGKILL'));
    for await (const line of createInterface(child.stdout)) {
      const progress = JSON.parse(line) as { step?: string };
      if (progress.step === step) break;
    }
    child.kill('SIGKILL');
    const [, signal] = child.signalCode === null ? await once(child, 'exit') : [0, child.signalCode];
    assert.equal(signal, 'SIGKILL');
  }

  test('brings all of an archive to the store and back, also when it is killed in each step, and compares each name', async (t) => {
    const [data, other] = [join(temporaryFolder(t), 'data'), join(temporaryFolder(t), 'data')];
    await fill(data);
    const wanted = await answerIn(data);
    const address = await database();
    await killedWhile(t, 'sending', 'to', `--store=${address}`, `--data=${data}`, '--site=works');
    await killedWhile(t, 'comparing', 'to', `--store=${address}`, `--data=${data}`, '--site=works');
    const there = movedBy(await move('--to', address, '--data', data, '--site', 'works'));
    assert.deepEqual([there.names, there.site.name, there.differences], [seriesCount, 'works', []]);

    await killedWhile(t, 'bringing', 'from', `--store=${address}`, `--data=${other}`, '--site=works');
    assert.equal(existsSync(join(other, 'archive')), false, 'what is not whole is no archive');
    await killedWhile(t, 'comparing', 'from', `--store=${address}`, `--data=${other}`, '--site=works');
    const back = movedBy(await move('--from', address, '--data', other, '--site', 'works'));
    assert.deepEqual(back, there);
    assert.equal(await answerIn(other), wanted);
    assert.equal(await answerIn(data), wanted);

    // It is the same site from now on, and nothing of it is new to the store.
    const again = movedBy(await move('--to', address, '--data', other));
    assert.deepEqual([again.site.id, again.records, again.differences], [there.site.id, there.records, []]);
  });

  test('says which names differ, and by how much, and then nothing takes the place of an archive', async (t) => {
    const data = join(temporaryFolder(t), 'data');
    await fill(data);
    const address = await database();
    const { site } = movedBy(await move('--to', address, '--data', data));
    const lost = new URL(address).pathname.slice(1);
    await postgres.query('DELETE FROM telltale.parcel; DELETE FROM telltale.chunk', { database: lost });
    const { code, stdout, stderr } = await move('--to', address, '--data', data);
    assert.equal(code, 1);
    const { differences } = JSON.parse(stdout) as Moved;
    assert.equal(differences.length, seriesCount);
    assert.match(stderr, /200 names are not the same in both/);
    assert.match(site.id, /^[0-9a-f]{16}$/);
  });

  test('refuses what would do harm, with what to do', async (t) => {
    const data = join(temporaryFolder(t), 'data');
    const address = await database();
    const refusals: [RegExp, string[]][] = [
      [/has no archive: name the data folder/, ['--to', address, '--data', data]],
      [/nothing listens at 127\.0\.0\.1:1:/i, ['--from', 'postgresql://a@127.0.0.1:1/b', '--data', data]],
      [/a password, which everybody on this machine could see/, ['--to', 'postgresql://a:b@127.0.0.1/c']],
      [/tables of the store .* are not there/i, ['--from', address, '--data', data]],
      [/Either --to ADDRESS or --from ADDRESS/, ['--to', address, '--from', address]],
    ];
    for (const [words, args] of refusals) {
      const { code, stderr } = await move(...args);
      assert.notEqual(code, 0);
      assert.match(stderr, words);
    }
    const server = await startServer(t, { data });
    assert.match((await move('--to', address, '--data', data)).stderr, /in use by another running server/);
    await server.end();
    movedBy(await move('--to', address, '--data', data, '--site', 'here'));
    assert.match((await move('--from', address, '--data', data)).stderr, /has records: move it away/);
    const empty = temporaryFolder(t);
    assert.match(
      (await move('--from', address, '--data', empty, '--site', 'no')).stderr,
      /has no site no: it has here \(/,
    );
  });
});
