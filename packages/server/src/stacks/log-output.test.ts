import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { test } from 'node:test';
import { logOutput } from './log-output.ts';

async function linesOf(...pieces: (string | Buffer)[]): Promise<string[]> {
  const output = new PassThrough();
  const lines: string[] = [];
  logOutput(output, (line) => lines.push(line));
  for (const piece of pieces) output.write(piece);
  output.end();
  await finished(output);
  return lines;
}

test('what is printed is reported line by line, however it comes in pieces, empty lines left out', async () => {
  const word = Buffer.from('blé\n');
  assert.deepEqual(await linesOf('one\r\ntw', 'o\n\n  \nthree ', word.subarray(0, 3), word.subarray(3), 'last'), [
    'one',
    'two',
    'three blé',
    'last',
  ]);
});

test('a line without an end is not kept whole', async () => {
  const lines = await linesOf(...new Array(100).fill('x'.repeat(1000)));
  assert.ok(lines.every((line) => line.length <= 3000) && lines.join('').length === 100_000);
});
