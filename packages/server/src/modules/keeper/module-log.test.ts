// Promises of the log of a module: all output is stored as it was printed, within limits.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { LogLine, LogStream } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { ModuleLog, type ModuleLogOptions, maxTextBytes, stampsOf } from './module-log.ts';
import { readModuleLog } from './module-log-read.ts';

const top = temporaryFolder(suiteCleanup());

/** Where the system reports it. */
const openHandles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);

function opened(options: Partial<ModuleLogOptions> = {}) {
  const clock = new ManualClock();
  const folder = join(mkdtempSync(join(top, 'm-')), 'log');
  let drained = 0;
  const onDrain = () => {
    drained += 1;
  };
  const log = new ModuleLog({ folder, stream: 'out', clock, onDrain, ...options });
  const texts = async () => (await readModuleLog(folder, { lines: 10_000, stream: undefined })).map(({ text }) => text);
  return { clock, folder, log, texts, drained: () => drained };
}

describe('a line', () => {
  test('has its time to the microsecond, and stands in a file of its stream', async () => {
    const { clock, folder, log } = opened();
    log.write(Buffer.from('one\ntwo\n'));
    clock.advance(250);
    log.write(Buffer.from('three\n'));
    log.end();
    assert.equal(
      readFileSync(join(folder, 'out.log'), 'utf8'),
      '2023-11-14T22:13:20.000000Z one\n2023-11-14T22:13:20.000000Z two\n2023-11-14T22:13:20.250000Z three\n',
    );
    assert.deepEqual(await readModuleLog(folder, { lines: 2, stream: 'out' }), [
      { t: [1_700_000_000, 0], stream: 'out', text: 'two' },
      { t: [1_700_000_000, 250_000], stream: 'out', text: 'three' },
    ]);
  });

  test('may be empty, and may come letter by letter', async () => {
    const { log, texts } = opened();
    for (const letter of Buffer.from('\n\nåb\n')) log.write(Buffer.of(letter));
    log.end();
    assert.deepEqual(await texts(), ['', '', 'åb']);
  });

  test('shows what is no text, and leaves tabs and other scripts alone', async () => {
    const { log, texts } = opened();
    log.write(Buffer.from('\x1b[31m\ttab \0\r\x7f \u009b ü 漢 😀 \uFEFF\n'));
    log.write(Buffer.from([0x61, 0xff, 0xc3, 10, 0xe2, 0x82]));
    log.end();
    assert.deepEqual(await texts(), ['\\x1b[31m\ttab \\x00\\x0d\\x7f \\x9b ü 漢 😀 \uFEFF', 'a\uFFFD\uFFFD', '\uFFFD']);
  });

  test('that is longer than 8 KiB is cut, never within a letter', async () => {
    const { log, texts } = opened();
    const long = `a${'ü'.repeat(maxTextBytes)}`;
    log.write(Buffer.from(`${long}\n${'x'.repeat(maxTextBytes)}`));
    log.write(Buffer.from('\nend\n'));
    log.end();
    const [first = '', second = '', third = '', ...rest] = await texts();
    assert.deepEqual(
      [first, second, third].map((text) => Buffer.byteLength(text)),
      [maxTextBytes - 1, maxTextBytes, 2],
    );
    assert.equal(first + second + third, long);
    assert.deepEqual(rest, ['x'.repeat(maxTextBytes), 'end']);
  });

  test('that does not end is written after 5 s, and its end makes no other', async () => {
    const { clock, log, texts } = opened();
    log.write(Buffer.from('done\nname? '));
    clock.advance(4999);
    assert.deepEqual(await texts(), ['done']);
    clock.advance(1);
    assert.deepEqual(await texts(), ['done', 'name? ']);
    log.write(Buffer.from('\n'));
    log.write(Buffer.from('half'));
    clock.advance(3000);
    log.write(Buffer.from(' whole\nnext'));
    clock.advance(4999);
    assert.deepEqual(await texts(), ['done', 'name? ', 'half whole']);
    clock.advance(1);
    log.write(Buffer.from(' goes on'));
    log.end();
    assert.deepEqual(await texts(), ['done', 'name? ', 'half whole', 'next', ' goes on']);
    assert.equal(clock.pending, 0);
  });

  test('that does not end is written when the stream does', async () => {
    const { clock, log, texts } = opened();
    log.write(Buffer.from('almost'));
    log.end();
    log.end();
    assert.equal(log.write(Buffer.from('late\n')), true);
    assert.deepEqual(await texts(), ['almost']);
    assert.equal(clock.pending, 0);
  });
});

/** Bytes with much that is special: breaks, halves of letters, controls, and long stretches. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => Buffer.from(text)),
      fc.constantFrom('\n', '\n\n', '\r\n', '\\', '\x1b[0m').map((text) => Buffer.from(text)),
      fc
        .tuple(fc.integer({ min: 8000, max: 20_000 }), fc.constantFrom('x', 'ü', '漢', '😀', '\0'))
        .map(([length, letter]) => Buffer.from(letter.repeat(length))),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

const chunked = (bytes: Buffer, cuts: readonly number[]) => {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
};

/** As the guide says it, in the plainest way. */
function linesOf(bytes: Buffer): string[] {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let shown = '';
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    const isControl = code < 32 || (code >= 127 && code < 160);
    shown += isControl && letter !== '\n' && letter !== '\t' ? `\\x${Buffer.of(code).toString('hex')}` : letter;
  }
  const whole = shown.split('\n');
  if (whole.at(-1) === '') whole.pop();
  return whole.flatMap((line) => {
    const pieces = [''];
    let bytesOfPiece = 0;
    for (const letter of line) {
      const length = Buffer.byteLength(letter);
      if (bytesOfPiece + length > maxTextBytes) {
        pieces.push('');
        bytesOfPiece = 0;
      }
      pieces.push(`${pieces.pop()}${letter}`);
      bytesOfPiece += length;
    }
    return pieces;
  });
}

test('any bytes in any chunks come back as the lines that they are', async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, fc.array(fc.nat(), { maxLength: 10 }), async (bytes, cuts) => {
      const { folder, log, texts } = opened();
      const watched: LogLine[] = [];
      log.watch((lines) => watched.push(...lines));
      for (const chunk of chunked(bytes, cuts)) log.write(chunk);
      log.end();
      assert.deepEqual(await texts(), linesOf(bytes));
      assert.deepEqual(watched, await readModuleLog(folder, { lines: 10_000, stream: 'out' }));
      rmSync(folder, { recursive: true, force: true });
    }),
    { numRuns: 100 },
  );
});

test('lines that the disk did not take are reported at the end, when it takes something again; no handle stays open', async () => {
  const { folder, log, texts } = opened();
  const handles = openHandles();
  writeFileSync(folder, 'in its place');
  log.write(Buffer.from('one\ntwo\n'));
  assert.equal(log.lost, 2);
  rmSync(folder);
  log.end();
  const [text, ...others] = await texts();
  assert.match(text ?? '', /^telltale: 2 lines are missing here/);
  assert.deepEqual(others, []);
  assert.equal(openHandles(), handles);
});

describe('the rate', () => {
  const mebibyte = Buffer.alloc(1024 * 1024, `${'x'.repeat(99)}\n`);

  test('of a burst is taken; then no more than is said to be welcome', () => {
    const { clock, log, drained } = opened();
    let taken = 0;
    while (log.write(mebibyte)) taken += 1;
    assert.equal(taken, 3);
    assert.equal(log.write(Buffer.from('all the same\n')), false);
    assert.equal(drained(), 0);
    clock.advance(10_000);
    assert.equal(drained(), 1);
    assert.equal(log.write(mebibyte), true);
    log.end();
  });

  test('of a burst is no greater for a long silence before it', () => {
    const { clock, log } = opened();
    clock.advance(3_600_000);
    let taken = 0;
    while (taken < 10 && log.write(mebibyte)) taken += 1;
    assert.equal(taken, 3);
    log.end();
  });

  test('of a flood is 1 MiB a second, times of the lines included', () => {
    for (const line of ['y\n', `${'long '.repeat(1000)}\n`]) {
      const chunk = Buffer.alloc(64 * 1024, line);
      let isWelcome = true;
      const onDrain = () => {
        isWelcome = true;
      };
      const { clock, folder, log } = opened({ onDrain });
      let writtenBytes = 0;
      log.watch((lines) => {
        for (const { text } of lines) writtenBytes += Buffer.byteLength(text) + 29;
      });
      for (let ms = 0; ms < 10_000; ms += 10) {
        while (isWelcome) isWelcome = log.write(chunk);
        clock.advance(10);
      }
      log.end();
      assert.ok(writtenBytes > 13 * 2 ** 20 && writtenBytes < 16 * 2 ** 20, `${writtenBytes} of ${line.length}`);
      rmSync(folder, { recursive: true });
    }
  });

  test('is not asked for any more once the stream has ended', () => {
    const { clock, log, drained } = opened();
    while (log.write(mebibyte)) assert.ok(true);
    log.end();
    clock.advance(60_000);
    assert.equal(drained(), 0);
  });
});

describe('what both streams say', () => {
  test('is read in the order in which it came, within a millisecond too', async () => {
    const clock = new ManualClock();
    const { folder } = opened();
    const stamp = stampsOf(clock);
    const logs = new Map<LogStream, ModuleLog>(
      (['out', 'err'] as const).map((stream) => [
        stream,
        new ModuleLog({ folder, stream, clock, onDrain: () => {}, stamp }),
      ]),
    );
    const order: LogStream[] = ['err', 'out', 'out', 'err', 'err', 'out'];
    for (const [index, stream] of order.entries()) logs.get(stream)?.write(Buffer.from(`${index}\n`));
    for (const log of logs.values()) log.end();
    const both = await readModuleLog(folder, { lines: 100, stream: undefined });
    assert.deepEqual(
      both.map(({ stream, text }) => [stream, text]),
      order.map((stream, index) => [stream, String(index)]),
    );
  });
});
