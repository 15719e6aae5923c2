// Promises of reading a log: the newest lines, in order, of whatever is there.
import assert from 'node:assert/strict';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatTimestamp, type LogStream } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { logPath, ModuleLogFile, maxFileBytes } from './module-log-file.ts';
import { readModuleLog } from './module-log-read.ts';

const top = temporaryFolder(suiteCleanup());

/** Where the system reports it. */
const openHandles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);

const startUs = 1_700_000_000_000_000;
const line = (timeUs: number, text: string) => `${formatTimestamp(timeUs)} ${text}\n`;
const all = (folder: string, stream?: LogStream) => readModuleLog(folder, { lines: 10_000, stream });

/** Files by their names, in a folder of their own. */
function folderOf(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(top, 'm-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

test('a module that has never printed has no lines', async () => {
  assert.deepEqual(await all(join(top, 'none')), []);
  assert.deepEqual(await all(folderOf({ 'out.log': '' })), []);
});

test('fewer lines are the last ones of more, also where the clock was set back', async () => {
  const anyEntry = fc.record({
    stream: fc.constantFrom<LogStream>('out', 'err'),
    stepUs: fc.integer({ min: -5, max: 10 }),
    text: fc
      .oneof(fc.string({ maxLength: 10 }), fc.constant('x'.repeat(8000)))
      .map((text) => text.replace(/\p{Cc}/gu, '')),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyEntry, { maxLength: 80 }), fc.nat(100), async (entries, lines) => {
      const folder = mkdtempSync(join(top, 'm-'));
      const files = { out: new ModuleLogFile(folder, 'out', 2e5), err: new ModuleLogFile(folder, 'err', 2e5) };
      let timeUs = startUs;
      for (const { stream, stepUs, text } of entries) {
        timeUs += stepUs;
        files[stream].append('', Buffer.from(line(timeUs, text)));
      }
      for (const file of Object.values(files)) file.close();
      for (const stream of ['out', 'err'] as const) {
        const whole = await all(folder, stream);
        assert.deepEqual(
          whole.map(({ text }) => text),
          entries.filter((entry) => entry.stream === stream).map(({ text }) => text),
        );
        assert.deepEqual(
          (await all(folder)).filter((each) => each.stream === stream),
          whole,
        );
      }
      for (const stream of ['out', undefined] as const) {
        const whole = await readModuleLog(folder, { lines: 10_000, stream });
        const newest = await readModuleLog(folder, { lines, stream });
        assert.deepEqual(newest, whole.slice(Math.max(0, whole.length - lines)));
      }
      if (entries.every(({ stepUs }) => stepUs > 0)) {
        assert.deepEqual(
          (await all(folder)).map(({ stream, text }) => [stream, text]),
          entries.map(({ stream, text }) => [stream, text]),
        );
      }
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 100 },
  );
});

test('lines of one time keep their order, those of out before those of err', async () => {
  const folder = folderOf({
    'out.log': line(startUs, 'a') + line(startUs, 'b'),
    'err.log': line(startUs - 1, 'first') + line(startUs, 'c') + line(startUs, 'd'),
  });
  assert.deepEqual(
    (await all(folder)).map(({ text }) => text),
    ['first', 'a', 'b', 'c', 'd'],
  );
});

test('no more than 10,000 are read, and none where none is wanted', async () => {
  const many = Array.from({ length: 12_000 }, (_, index) => line(startUs + index, String(index))).join('');
  const folder = folderOf({ 'out.log': many });
  const read = await readModuleLog(folder, { lines: 1e9, stream: undefined });
  assert.equal(read.length, 10_000);
  assert.equal(read.at(-1)?.text, '11999');
  assert.deepEqual(await readModuleLog(folder, { lines: 0, stream: undefined }), []);
});

test('a damaged file is read as it is: a line without a time has that of the next', async () => {
  const folder = folderOf({
    'out.log': `\0\0zeros\n\n${line(startUs, 'good')}9999-99-99T99:99:99.999999Z odd\n0000-01-01T00:00:00.000000Z old\n${line(startUs + 5, 'last')}`,
    'out.log.2': Buffer.concat([Buffer.from(line(startUs - 5, 'before')), Buffer.of(0xff, 0x1b)]),
  });
  assert.deepEqual(
    (await all(folder)).map(({ t: [, us], text }) => [us, text]),
    [
      [999_995, 'before'],
      [0, '\uFFFD\\x1b'],
      [0, '\\x00\\x00zeros'],
      [0, 'good'],
      [5, '9999-99-99T99:99:99.999999Z odd'],
      [5, '0000-01-01T00:00:00.000000Z old'],
      [5, 'last'],
    ],
  );
});

test('a file far larger than it may be costs no more than the log may have', async () => {
  const folder = folderOf({});
  mkdirSync(folder, { recursive: true });
  writeFileSync(logPath(folder, 'out', 0), Buffer.alloc(20 * maxFileBytes, 'x'));
  const texts = (await all(folder)).map(({ text }) => text.length);
  assert.equal(
    texts.reduce((sum, length) => sum + length, 0),
    4 * maxFileBytes,
  );
  assert.ok(Math.max(...texts) <= 128 * 1024, 'in pieces');
  for (const number of [1, 2, 3]) {
    writeFileSync(logPath(folder, 'out', number), Buffer.alloc(maxFileBytes, line(startUs, 'y'.repeat(1000))));
  }
  assert.equal((await all(folder)).length, texts.length, 'nothing of the older ones');
});

test('a file that is met twice, since it is renamed meanwhile, is read once; no handle stays open', async () => {
  const folder = folderOf({ 'out.log': line(startUs, 'one') });
  linkSync(logPath(folder, 'out', 0), logPath(folder, 'out', 1));
  const handles = openHandles();
  assert.deepEqual(
    (await all(folder)).map(({ text }) => text),
    ['one'],
  );
  assert.equal(openHandles(), handles);
});
