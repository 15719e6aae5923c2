// `telltale history` and `telltale archive`, against the HTTP interface over an archive in memory.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { run as runCommand } from '../packages/cli/src/run.ts';
import { ArchiveBench } from '../packages/server/test/archive-bench.ts';
import { type CliResult, RunningCli, runCli, spawnCli } from './cli-process.ts';
import { until } from './until.ts';

const bench = new ArchiveBench();
const { archive } = bench;
const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
cleanup.defer(() => bench.close());
const level = { kind: 'measurements', name: 'level', datatype: 'd' } as const;
const second = 1_000_000;
const nowUs = bench.clock.now();

before(async () => {
  await bench.open();
  archive.add(level, nowUs - 7200 * second, 'd1');
  archive.add(level, nowUs - 60 * second, 'd2');
  archive.add(level, nowUs - 30 * second, 'd3', 24);
  archive.add({ kind: 'measurements', name: '__proto__', datatype: 'd' }, nowUs - second, 'd9');
  archive.add({ kind: 'commands', name: 'setpoint', datatype: 'd' }, nowUs - second, 'd5');
  const alarm = JSON.stringify({ state: 'ACT_UNACK', description: 'Too high', authority: 'trigger' });
  archive.add({ kind: 'alarms', name: 'high', datatype: 's' }, nowUs - second, alarm);
});

const run = (args: string, input?: string): Promise<CliResult> =>
  runCli(args.split(' '), { url: bench.url, ...(input !== undefined && { input }) });

async function good(args: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(args, input);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function bad(args: string, code: number, words: RegExp, input?: string): Promise<void> {
  const result = await run(args, input);
  assert.match(result.stderr, words);
  assert.equal(result.code, code);
}

/** Both outputs, as a person at a terminal without colours sees them; the clock moves on with every look at it. */
async function shown(args: string): Promise<string> {
  let text = '';
  const write = (chunk: string | Uint8Array) => {
    text += Buffer.from(chunk).toString();
    return true;
  };
  const stream = { isTTY: true, columns: 100, write, once: () => undefined };
  let lookedUs = 0;
  const code = await runCommand([...args.split(' '), '--no-color'], {
    out: stream,
    err: stream,
    input: process.stdin,
    environment: { TELLTALE_URL: bench.url },
    version: '',
    clock: { ...systemClock, now: () => (lookedUs += second) },
    signal: new AbortController().signal,
  });
  assert.equal(code, 0, text);
  return text;
}

const values = (text: string, name: string) => (JSON.parse(text)[name] as [string][]).map(([value]) => value);

describe('telltale history', () => {
  test('gives the records of the last hour, or of the time that is named', async () => {
    assert.deepEqual(values(await good('history level'), 'level'), ['d2', 'd3']);
    assert.deepEqual(values(await good('history level --since 1d'), 'level'), ['d1', 'd2', 'd3']);
    assert.deepEqual(values(await good('history level --since -1d --until -45'), 'level'), ['d1', 'd2']);
    const since = new Date(nowUs / 1000 - 60_000).toISOString();
    assert.deepEqual(values(await good(`history level --since ${since} --limit 1`), 'level'), ['d2']);
  });

  test('gives several names in one object, also where there is nothing of one', async () => {
    const text = await good('history level of_s __proto__ level');
    assert.deepEqual(
      [values(text, 'level'), values(text, 'of_s'), values(text, '__proto__')],
      [['d2', 'd3'], [], ['d9']],
    );
    assert.deepEqual(values(await good('history of_s'), 'of_s'), []);
  });

  test('gives commands, alarms and CSV', async () => {
    assert.deepEqual(values(await good('history --commands setpoint'), 'setpoint'), ['d5']);
    assert.equal(JSON.parse(await good('history --alarms high --active')).high[0].authority, 'trigger');
    assert.match(
      await good('history level --csv'),
      /^name,time,value,quality\r\nlevel,2023-11-14T22:12:20\.000000Z,2,192\r\n/,
    );
  });

  test('sends its options on', async () => {
    await good('history level --resample 90s --aggregate avg --warp-head');
    const request = archive.requests.at(-1);
    assert.deepEqual([request?.resampleUs, request?.aggregates, request?.warpHead], [90 * second, ['avg'], true]);
    await good('history level --resample 1d --tz Europe/Vienna --aggregate avg,max');
    const { calendar, aggregates } = archive.requests.at(-1) ?? assert.fail();
    assert.deepEqual([calendar, aggregates], [{ step: '1d', zone: 'Europe/Vienna' }, ['avg', 'max']]);
    await good('history level --resample 15m');
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    assert.deepEqual(archive.requests.at(-1)?.calendar, { step: '15m', zone: timeZone });
    await good('history level --max-points 2000');
    assert.equal(archive.requests.at(-1)?.maxPoints, 2000);
  });

  test('says what is wrong', async () => {
    await bad('history levl', 1, /There is no measurement "levl"\. Did you mean level\?/);
    await bad('history level --since tomorrow', 2, /--since is a time/);
    await bad('history level --max-points many', 2, /--max-points is a whole number/);
    await bad('history level --aggregate avg,median', 2, /no aggregate "median": there are avg, mean, min/);
    await bad('history level --resample 90s --tz Europe/Vienna', 2, /--tz goes with --resample 1m or/);
    await bad('history level --active', 2, /--alarms/);
    await bad('history level --since 1h --until 2h', 2, /--since 1h is after --until 2h/);
    await bad('history level --since 2026-01-02 --until 2026-01-01', 2, /--since 2026-01-02 is after/);
    await bad('history level --until 2026-01-01', 2, /is before the last hour, .*: add --since/);
    await bad('history level --aggregate avg', 2, /--aggregate goes with --resample/);
    await bad('history level --begin 1h', 2, /There is no option "--begin"\. Put/);
    await bad('history', 2, /NAME/);
  });

  test('prints lines for people', async () => {
    const lines = (await shown('history level of_s')).split('\n');
    assert.match(lines[0] ?? '', /^level {2}20\d\d-\d\d-\d\d \d\d:\d\d:20\.000 {2}2 {2}good$/);
    assert.match(lines[1] ?? '', /3 {2}bad, communication failure$/);
    assert.match(lines[2] ?? '', /^There are no records of of_s/);
    assert.match(
      await shown('history of_s --resample 1h'),
      /^No bucket .* begins with a value of of_s\..* --aggregate avg$/m,
    );
    assert.match(await shown('history --alarms high'), /active, not acknowledged {2}by trigger: Too high/);
  });
});

describe('telltale archive', () => {
  test('stats, check and compact report how it is', async () => {
    assert.equal(JSON.parse(await good('archive stats')).bytes, 4096);
    assert.equal(JSON.parse(await good('archive check')).done, true);
    assert.equal(JSON.parse(await good('archive compact')).after.blocks, 1);
    archive.damages = [{ file: 'block-1', name: 'level', firstUs: second, lastUs: 2 * second, reason: 'checksum' }];
    await bad('archive check', 1, /1 parts? .*damaged/);
    archive.damages = [];
  });

  test('export writes what import takes', async () => {
    const file = join(folder, 'history.csv');
    await good(`archive export ${file}`);
    const before = [archive.records('measurements', 'level'), archive.records('measurements', '__proto__')];
    assert.match(readFileSync(file, 'utf8'), /level,.*,3,24\r\n/);
    await archive.erase('measurements', 'level', 0, Number.MAX_SAFE_INTEGER);
    await archive.erase('measurements', '__proto__', 0, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(JSON.parse(await good(`archive import ${file}`)), { records: 4 });
    assert.deepEqual([archive.records('measurements', 'level'), archive.records('measurements', '__proto__')], before);
    const some = await good('archive export --names level --since 1h');
    assert.equal(some.split('\r\n').length, 4);
    assert.ok((await good('archive export --columns --commands')).startsWith('TTCF'));
    await bad('archive export --names levl', 1, /Did you mean level/);
  });

  test('import splits a file by name, and names the row that cannot be taken', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => `${at % 2 === 0 ? 'of_i' : 'of_q'},${at + 1},${at % 4}`);
    const text = `name,time,value\n${rows.join('\n')}\n`;
    assert.deepEqual(JSON.parse(await good('archive import -', text)), { records: 40_000 });
    assert.equal(archive.records('measurements', 'of_q').length, 20_000);
    const broken = 'name,time,value\nof_i,1,1\nof_q,1,1\nof_i,2,x\n';
    await bad('archive import -', 1, /Row 4, of "of_i": .*not a whole number.*record before it was taken/s, broken);
    const spaced = '\n\r\nname,time,value\n\nof_i,1,1\n"of_i",2,"3"\n\n\nof_i,3,x\n';
    await bad('archive import -', 1, /Row 9, of "of_i": .*not a whole number/s, spaced);
    await bad('archive import -', 1, /Row 2, of "nobody".*does not exist/s, 'name,time,value\nnobody,1,1\n');
    await bad('archive import -', 1, /Row 2 ends within quotes/, 'name,time,value\n"a\n');
    await bad('archive import -', 1, /Row 2, of "of_i": .*The header: time,value/s, '\nname,when,value\nof_i,1,1\n');
    await bad('archive import -', 1, /say --name/, 'time,value\n1,1\n');
    await bad('archive import nothing.csv', 1, /cannot be read/);
    await good('archive import - --name of_i', 'time,value\n77,7\n');
    assert.equal(archive.records('measurements', 'of_i').find(({ timeUs }) => timeUs === 77 * second)?.text, 'i7');
    await good('archive import - --commands', 'name,time,value\nsetpoint,77,7\n');
  });

  test('erase wants both ends of the interval', async () => {
    await bad('archive erase of_i --since 1h', 2, /--until/);
    await good('archive erase of_i --since 1 --until 1000000');
    assert.equal(archive.records('measurements', 'of_i').length, 0);
    await bad('archive erase levl --since 1 --until 2', 1, /Did you mean level/);
  });

  test('shows people lines and a bar', async () => {
    assert.match(await shown('archive stats'), /^Records {5}20,\d+ in \d+ series\n.*On disk {5}4096 B, 1024 B of it/s);
    assert.match(await shown('archive check'), /checking \[#+\] 4096 B of 4096 B.*All of 4096 B is intact/s);
    assert.match(await shown('archive compact'), /4096 B in 1 files are now 4096 B in 1\./);
    const file = join(folder, 'rows.csv');
    writeFileSync(file, 'name,time,value\nof_d,1,1\n');
    const records = join(folder, 'records.csv');
    assert.match(await shown(`archive export ${records}`), /\d+ k?B are in .*records\.csv\.\n$/);
    await bad('archive export of_*', 2, /FILE is where the records go\. To export of_\*: --names 'of_\*'/);
    assert.match(await shown(`archive import ${file}`), /importing \[[#.]+\].*1 record is in the archive\./s);
  });
});

/** Whether one of its threads waits for somebody at the other end of a FIFO. */
function waitsForReader(pid: number): boolean {
  const waitsFor = (thread: string) => {
    const path = `/proc/${pid}/task/${thread}/wchan`;
    return existsSync(path) ? readFileSync(path, 'utf8') : ''; // it may have ended
  };
  return readdirSync(`/proc/${pid}/task`).some((thread) => waitsFor(thread).includes('wait_for_partner'));
}

test('the second signal ends an export into a FIFO that nobody reads', {
  skip: existsSync('/proc/self/wchan') ? false : 'this system does not tell what a thread waits for',
}, async (t) => {
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const cli = new RunningCli(t, ['archive', 'export', fifo], { url: bench.url });
  await until('it waits for a reader', async () => waitsForReader(cli.pid));
  let ended: number | null | undefined;
  cli.ended.then((code) => {
    ended = code;
  });
  // Two at once may come as one.
  await until('it ends', async () => {
    cli.end('SIGTERM');
    return ended !== undefined;
  });
  assert.equal(ended, null);
});

test('telltale history takes times of the clock of the terminal', async () => {
  const twice = { kind: 'measurements', name: 'twice', datatype: 'd' } as const;
  archive.add(twice, Date.parse('2026-10-25T00:30:00Z') * 1000, 'd1');
  archive.add(twice, Date.parse('2026-10-25T01:30:00Z') * 1000, 'd2');
  const env = { TZ: 'Europe/Vienna' };
  const history = async (since: string, until: string) => {
    const line = ['history', 'twice', '--since', since, '--until', until];
    const { code, stdout, stderr } = await spawnCli(line, { url: bench.url, env });
    assert.equal(code, 0, stderr);
    return values(stdout, 'twice');
  };
  assert.deepEqual(await history('2026-10-25', '2026-10-25 02:31'), ['d1']);
  assert.deepEqual(await history('2026-10-25 02:30+01:00', '2026-10-25 03:00'), ['d2']);
});
