// Promises of the files of a log: bounded, and nothing is lost but the oldest, or what the disk did not take.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { ModuleLog } from './module-log.ts';
import { logPath, ModuleLogFile, maxFiles } from './module-log-file.ts';
import { readModuleLog } from './module-log-read.ts';

const top = temporaryFolder(suiteCleanup());

const fileBytes = 16 * 1024;
const stamp = '2023-11-14T22:13:20.000000Z';
const newFolder = () => join(mkdtempSync(join(top, 'm-')), 'log');
const linesOf = (texts: readonly string[]) => Buffer.from(texts.map((text) => `${stamp} ${text}\n`).join(''));
const textsIn = async (folder: string) =>
  (await readModuleLog(folder, { lines: 10_000, stream: 'out' })).map(({ text }) => text);
const bytesIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) : 0;
const opened = (folder: string) => new ModuleLogFile(folder, 'out', fileBytes);

/** Fills a file, nearly. */
const filling = (name: string) => [name, ...Array<string>(15).fill('x'.repeat(900)), `${name} end`];

test('whatever is written, the files stay within their bound and have the newest lines', async () => {
  const anyTexts = fc.array(
    fc.oneof(
      fc.string({ maxLength: 50 }),
      fc.integer({ min: 0, max: 8192 }).map((length) => 'x'.repeat(length)),
    ),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyTexts, { maxLength: 8 }), async (batches) => {
      const folder = newFolder();
      const said: string[] = [];
      const clock = new ManualClock();
      for (const texts of batches) {
        const log = new ModuleLog({ folder, stream: 'out', clock, onDrain: () => {}, fileBytes });
        log.watch((lines) => said.push(...lines.map(({ text }) => text)));
        for (const text of texts) log.write(Buffer.from(`${text}\n`));
        log.end();
        assert.equal(log.lost, 0);
        assert.ok(bytesIn(folder) <= maxFiles * fileBytes);
      }
      const written = await textsIn(folder);
      assert.deepEqual(written, said.slice(said.length - written.length));
      const writtenBytes = linesOf(written).length;
      assert.ok(
        written.length === said.length || writtenBytes > (maxFiles - 1) * (fileBytes - 8300),
        `${writtenBytes}`,
      );
      rmSync(folder, { recursive: true, force: true });
    }),
    { numRuns: 100 },
  );
});

test('a crash between any two steps of a rotation costs no line', async () => {
  const numbers = [1, 2, 3];
  for (let there = 0; there < 2 ** numbers.length; there += 1) {
    const older = numbers.filter((number) => (there & (1 << (number - 1))) !== 0);
    for (const hasNewest of [true, false]) {
      const folder = newFolder();
      mkdirSync(folder);
      const expected: string[] = [];
      for (const number of [...older].reverse().concat(hasNewest ? [0] : [])) {
        writeFileSync(logPath(folder, 'out', number), linesOf(filling(`file ${number}`)));
        expected.push(...filling(`file ${number}`));
      }
      const file = opened(folder);
      file.append(stamp, linesOf(filling('new')));
      file.close();
      expected.push(...filling('new'));
      const mustGo = hasNewest && older.length === numbers.length;
      assert.deepEqual(await textsIn(folder), mustGo ? expected.slice(filling('').length) : expected, `${older}`);
    }
  }
});

test('a file that grew too large by other means makes room at the first write', async () => {
  const folder = newFolder();
  mkdirSync(folder);
  const large = linesOf(Array.from({ length: 2000 }, (_, index) => `line ${index}`));
  writeFileSync(logPath(folder, 'out', 0), large);
  const file = opened(folder);
  file.append(stamp, linesOf(['new']));
  appendFileSync(logPath(folder, 'out', 0), large);
  file.append(stamp, linesOf(['newer']));
  file.close();
  assert.equal(readFileSync(logPath(folder, 'out', 0), 'utf8'), `${stamp} newer\n`);
  assert.equal(statSync(logPath(folder, 'out', 2)).size, large.length);
  assert.equal((await textsIn(folder)).length, 4002);
});

test('half a line of a power cut stays, and the next is a line of its own', async () => {
  const folder = newFolder();
  mkdirSync(folder);
  writeFileSync(logPath(folder, 'out', 0), `${stamp} whole\n${stamp} hal`);
  assert.deepEqual(await textsIn(folder), ['whole', 'hal']);
  const file = opened(folder);
  file.append(stamp, linesOf(['next']));
  file.close();
  assert.deepEqual(await textsIn(folder), ['whole', 'hal', 'next']);
});

test('a file that someone deletes is made again', async () => {
  const folder = newFolder();
  const file = opened(folder);
  file.append(stamp, linesOf(['one']));
  rmSync(folder, { recursive: true });
  file.append(stamp, linesOf(['two']));
  file.close();
  assert.deepEqual(await textsIn(folder), ['two']);
});

describe('a disk that takes nothing', () => {
  test('costs lines, which are counted, and reported where they are missing', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    symlinkSync('/dev/full', logPath(folder, 'out', 0));
    const file = opened(folder);
    file.append(stamp, linesOf(['a', 'b']));
    file.append(stamp, linesOf(['c']));
    assert.equal(file.lost, 3);
    rmSync(logPath(folder, 'out', 0));
    file.append(stamp, linesOf(['d']));
    assert.equal(file.lost, 0);
    file.close();
    const notice = 'telltale: 3 lines are missing here, not written: ENOSPC: no space left on device, write';
    assert.deepEqual(await textsIn(folder), [notice, 'd']);
  });

  test('is reported at the end where nothing more is said, and whoever watches sees the lines', async () => {
    const parent = mkdtempSync(join(top, 'm-'));
    const folder = join(parent, 'log');
    writeFileSync(folder, 'in the way');
    const log = new ModuleLog({ folder, stream: 'out', clock: new ManualClock(), onDrain: () => {} });
    const watched: string[] = [];
    log.watch((lines) => watched.push(...lines.map(({ text }) => text)));
    assert.equal(log.write(Buffer.from('one\n')), true);
    assert.equal(log.lost, 1);
    assert.deepEqual(watched, ['one']);
    rmSync(folder);
    log.end();
    const [text = '', ...others] = await textsIn(folder);
    assert.match(text, /^telltale: 1 line is missing here, not written: /);
    assert.deepEqual(others, []);
  });

  test('in the middle of many lines keeps those that are whole', async () => {
    const folder = newFolder();
    const file = opened(folder);
    mkdirSync(logPath(folder, 'out', 1), { recursive: true });
    mkdirSync(join(logPath(folder, 'out', 3), 'not empty'), { recursive: true });
    mkdirSync(logPath(folder, 'out', 2));
    file.append(stamp, linesOf([...filling('first'), ...filling('second')]));
    const { lost } = file;
    assert.ok(lost > 0);
    for (const number of [1, 2, 3]) rmSync(logPath(folder, 'out', number), { recursive: true });
    file.append(stamp, linesOf(['later']));
    file.close();
    const texts = await textsIn(folder);
    assert.deepEqual(texts.slice(0, -2), [...filling('first'), ...filling('second')].slice(0, -lost));
    assert.match(texts.at(-2) ?? '', new RegExp(`^telltale: ${lost} lines are missing here, not written: E`));
    assert.equal(texts.at(-1), 'later');
  });

  test('in the middle of a line leaves no half of it behind', async () => {
    const folder = newFolder();
    const script = `
      const { ModuleLogFile } = await import(process.argv[1]);
      const file = new ModuleLogFile(process.argv[2], 'out', ${fileBytes});
      file.append('', Buffer.from(process.argv[3]));
      console.log(file.lost);`;
    const module = new URL('./module-log-file.ts', import.meta.url).href;
    const args = ['--input-type=module', '-e', script, module, folder, linesOf(filling('text')).toString()];
    // the system refuses what would make a file longer than that: a signal, which is ignored, and an error after a part
    const limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" "$@"';
    const { stdout, stderr } = spawnSync('bash', ['-c', limited, process.execPath, ...args], { encoding: 'utf8' });
    assert.equal(stderr, '');
    const written = await textsIn(folder);
    assert.deepEqual(written, filling('text').slice(0, 9));
    assert.equal(Number(stdout), filling('text').length - 9);
    assert.equal(readFileSync(logPath(folder, 'out', 0)).at(-1), 10);
  });
});
