// Promises of the log: names from outside can do nothing to the terminal of its reader.
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from './log.ts';

/** A terminal, or a file, and what was written to it. */
function output(isTTY: boolean): { stream: NodeJS.WriteStream; text: () => string } {
  const parts: string[] = [];
  const write = (chunk: Buffer, _encoding: unknown, done: () => void) => {
    parts.push(chunk.toString());
    done();
  };
  const stream = Object.assign(new Writable({ write }), { isTTY }) as unknown as NodeJS.WriteStream;
  return { stream, text: () => parts.join('') };
}

/** What a terminal obeys, and what turns or breaks a line. */
const harmful = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

test('a line for people shows control characters and marks of direction as escapes', () => {
  const { stream, text } = output(true);
  const log = createLog('info', stream);
  log.warn(
    { connector: 'plc\u009b2J' },
    'the device says \u001b[31mred\u001b[0m\r\n12:00:00.000 info  all is well\u202e',
  );
  const [line = '', ...rest] = text().split('\n');
  assert.deepEqual(rest, ['']);
  assert.match(
    line,
    /^\d\d:\d\d:\d\d\.\d{3} warn {2}the device says \\u001b\[31mred\\u001b\[0m\\u000d\\u000a12:00:00\.000 info {2}all is well\\u202e connector="plc\\u009b2J"$/,
  );
});

test('whatever a message, a field or an error has, a line for people has nothing that a terminal obeys', () => {
  const any = fc.string({ unit: 'binary' });
  const property = fc.property(any, any, any, (message, field, reason) => {
    const { stream, text } = output(true);
    createLog('info', stream).error({ [field || 'field']: field, err: new Error(reason) }, message);
    for (const line of text().split('\n')) assert.doesNotMatch(line, harmful);
  });
  fc.assert(property, { numRuns: 100 });
});

test('the stack of an error is reported line by line', () => {
  const { stream, text } = output(true);
  createLog('info', stream).error({ err: new Error('broken\u001b[2J') }, 'a request failed');
  const [first, second, third] = text().split('\n');
  assert.match(first ?? '', / error a request failed$/);
  assert.equal(second, 'Error: broken\\u001b[2J');
  assert.match(third ?? '', /^ {4}at /);
});

test('a line for machines is JSON, in which JSON itself escapes them', () => {
  const { stream, text } = output(false);
  createLog('info', stream).info({ name: '\u001b[2J\n' }, 'said \u0007');
  const line = text();
  assert.equal(line.split('\n').length, 2);
  const { msg, name } = JSON.parse(line);
  assert.deepEqual([msg, name], ['said \u0007', '\u001b[2J\n']);
});
