// What a large transaction costs in memory: counted in bytes, after what is garbage was collected.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { transact } from '../../test/transact.ts';
import { Configuration } from './configuration.ts';
import { emptyContent, pack, packContent, readContent, unpack } from './content.ts';
import { packRendering, readRendering } from './rendering.ts';

const MB = 1_000_000;
const [objects, keys] = [12, 900];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Of objects of almost 1 MB each, in memory of its own, as a body is that came over the wire. */
function bodyOf(character: string): Uint8Array {
  const properties = Object.fromEntries(Array.from({ length: keys }, (_, key) => [`k${key}`, character.repeat(1000)]));
  const operations = Array.from({ length: objects }, (_, at) => {
    const name = `big${at}`;
    return { operation: 'put', family: 'measurements', name, object: { name, datatype: 'd', properties } };
  });
  return new TextEncoder().encode(JSON.stringify({ operations })).slice();
}

function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

test('of large transactions the heap keeps the texts of the objects, once, and nothing of those before', (t) => {
  const path = join(temporaryFolder(t), 'cfgdb.sqlite');
  let proposed = 0;
  const propose = ({ length }: Uint8Array) => {
    proposed = length;
    return undefined;
  };
  const configuration = new Configuration({ path, stacks: [], now: () => 0, propose });
  cleanupOf(t).defer(() => configuration.close());
  const before = heapBytes();
  for (const character of 'abc') {
    const body = bodyOf(character);
    const length = body.byteLength;
    transact(configuration, body, { commit: true, render: true }, 'somebody');
    assert.ok(configuration.takeRendered() && proposed > 0.99 * length);
    assert.equal(body.byteLength, 0, 'the body is given back before the transaction is over');
    const stored = heapBytes() - before;
    assert.ok(stored < 1.25 * length, `${stored / MB} MB are kept of ${length / MB} MB`);
  }
});

test('a body that shares its memory with others leaves these alone', (t) => {
  const path = join(temporaryFolder(t), 'cfgdb.sqlite');
  const configuration = new Configuration({ path, stacks: [], now: () => 0 });
  cleanupOf(t).defer(() => configuration.close());
  const memory = Buffer.from(` {"operations":[]} `);
  transact(configuration, memory.subarray(1, -1), { commit: true, render: false }, 'somebody');
  assert.equal(memory.toString(), ' {"operations":[]} ');
});

test('a long content is packed in several frames, and read as one', () => {
  const content = emptyContent();
  for (let at = 0; at < 9; at++)
    content.alarms.set(`a${at}`, `{"name":"a${at}","description":"${'ä€😀.'.repeat(100_000)}"}`);
  const packed = Buffer.from(packContent(content));
  const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
  let frames = 0;
  for (let at = packed.indexOf(magic); at >= 0; at = packed.indexOf(magic, at + 1)) frames++;
  assert.ok(frames >= 4, `${frames} frames`);
  assert.deepEqual(readContent(unpack(packed).toString()), content);
  assert.equal(unpack(pack([])).toString(), '');
});

test('an object that takes long to read is applied in steps, and comes whole', () => {
  const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, key) => [`"${key}`, 'text']));
  const [before, after] = [emptyContent(), emptyContent()];
  for (const [content, severity] of [
    [before, 1],
    [after, 2],
  ] as const) {
    content.alarms.set('a', JSON.stringify({ name: 'a', severity, properties }));
  }
  const read = [...readRendering(packRendering(before, after))];
  assert.ok(read.length > 10_000, `${read.length} steps`);
  const expected = [1, 2].map((severity) => ({ name: 'a', severity, properties }));
  assert.deepEqual(
    read.filter((change) => change !== undefined),
    [{ family: 'alarms', before: expected[0], after: expected[1] }],
  );
});
