import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { printable } from '@telltale/schema';
import fc from 'fast-check';
import { bytesText } from './progress.ts';
import { Terminal } from './terminal.ts';
import { valueText } from './words.ts';

function terminal(columns: number) {
  const text = { out: '', err: '' };
  const stream = (to: 'out' | 'err') => ({
    isTTY: true,
    columns,
    write: (chunk: string | Uint8Array) => {
      text[to] += chunk;
      return true;
    },
    once: () => undefined,
  });
  return { text, terminal: new Terminal({ out: stream('out'), err: stream('err'), json: false, color: false }) };
}

describe('a table', () => {
  test('has its columns aligned and no line longer than the terminal, whatever is in it', async () => {
    const cell = fc.string({ unit: 'binary', maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell)), async (rows) => {
        const { text, terminal: to } = terminal(80);
        await to.table(['NAME', 'VALUE'], rows);
        const lines = text.out.split('\n');
        assert.equal(lines.length, rows.length + 2);
        const widest = rows.reduce((most, [name]) => Math.max(most, [...printable(name)].length), 4);
        for (const line of lines) assert.ok([...line].length <= Math.max(80, widest + 12));
        for (const [at, [name, value]] of rows.entries()) {
          const shown = [...(lines[at + 1] ?? '')];
          assert.equal(shown.slice(0, widest).join('').trimEnd(), printable(name).trimEnd());
          const start = shown
            .slice(widest + 2)
            .join('')
            .replace(/…$/, '');
          assert.ok(printable(value).startsWith(start) || start === '');
        }
      }),
    );
  });

  test('nothing that is shown can move the cursor or turn the writing round', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.doesNotMatch(printable(text), /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
      }),
    );
    assert.equal(printable('\x1b[2J'), '\\u001b[2J');
    assert.equal(printable('21.5 °C'), '21.5 °C');
  });
});

test('JSON on a terminal is the document, and nothing in it can move the cursor', async () => {
  const texts = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), { noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(texts, async (document) => {
      const { text, terminal: to } = terminal(80);
      await to.json(document);
      assert.deepEqual(JSON.parse(text.out), document);
      assert.equal(printable(text.out.replaceAll('\n', '')), text.out.replaceAll('\n', ''));
    }),
  );
  const { text, terminal: to } = terminal(80);
  await to.jsonLine(['\x9b2J', '\u202e']);
  assert.equal(text.out, '["\\u009b2J","\\u202e"]\n');
});

test('values are shown without their prefix, texts in quotes', () => {
  assert.deepEqual(
    ['b1', 'l-5', 'd0.1', 's', 'sa "b"'].map((value) => valueText(value)),
    ['1', '-5', '0.1', '""', '"a \\"b\\""'],
  );
});

test('a note takes the place of a bar, and does not run into it', () => {
  const { text, terminal: to } = terminal(80);
  to.note('first');
  to.bar('sending …');
  to.note('To plant:');
  to.bar('');
  assert.equal(text.err, 'first\n\r\x1b[Ksending …\r\x1b[KTo plant:\n');
});

test('amounts of bytes are in the unit that people read easily', () => {
  const amounts = [9999, 10_000, 9_999_000, 12_345_678, 75_758_300_000];
  assert.deepEqual(amounts.map(bytesText), ['9999 B', '10 kB', '9999 kB', '12.3 MB', '75.8 GB']);
});
