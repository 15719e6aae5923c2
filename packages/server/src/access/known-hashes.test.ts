// Promises of what is known of credentials: who is found by one, and that this is asked each time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownHashes } from './known-hashes.ts';

function counted(most?: number) {
  let hashed = 0;
  const hashes = new KnownHashes((text) => {
    hashed++;
    return `hash of ${text}`;
  }, most);
  return { hashes, hashed: () => hashed };
}

const secretIn = (text: string) => /^Bearer (.+)/.exec(text)?.[1];

test('a credential is hashed once, and looked up each time: what is gone is not found, and is forgotten', () => {
  const { hashes, hashed } = counted();
  const holders = new Map([['hash of one', 'anna']]);
  const find = (text: string) => hashes.find(text, secretIn, (hash) => holders.get(hash));
  for (let time = 0; time < 5; time++) assert.equal(find('Bearer one'), 'anna');
  assert.equal(hashed(), 1);
  holders.set('hash of one', 'tom');
  assert.equal(find('Bearer one'), 'tom');
  holders.clear();
  assert.equal(find('Bearer one'), undefined);
  assert.equal(hashes.size, 0);
});

test('what nothing is found by is not kept, nor what is longer than any credential; of the others the oldest goes', () => {
  const { hashes } = counted(3);
  for (let time = 0; time < 100; time++) hashes.find(`Bearer ${time}`, secretIn, () => undefined);
  assert.equal(
    hashes.find('Basic x', secretIn, () => 'anybody'),
    undefined,
  );
  assert.equal(
    hashes.find(`Bearer ${'x'.repeat(1000)}`, secretIn, () => 'anna'),
    'anna',
  );
  assert.equal(hashes.size, 0);
  for (let time = 0; time < 100; time++)
    assert.equal(
      hashes.find(`Bearer ${time}`, secretIn, (hash) => hash),
      `hash of ${time}`,
    );
  assert.equal(hashes.size, 3);
});
