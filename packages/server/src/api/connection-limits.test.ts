// Promises of how many connections there may be: room is left for everything else that opens files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { connectionLimits, mostFiles } from './connection-limits.ts';

test('half of few files, and all but 500 of many, are for connections; of very few, what else needs them comes first', () => {
  assert.deepEqual(connectionLimits(100, 10_000), { maxConnections: 12, maxClients: 9 });
  assert.deepEqual(connectionLimits(256, 10_000), { maxConnections: 76, maxClients: 57 });
  assert.deepEqual(connectionLimits(400, 10_000), { maxConnections: 200, maxClients: 150 });
  assert.deepEqual(connectionLimits(1024, 10_000), { maxConnections: 524, maxClients: 393 });
  assert.deepEqual(connectionLimits(4096, 10_000), { maxConnections: 3596, maxClients: 2697 });
});

test('where there are files enough, the channel has as many clients as its setting says', () => {
  assert.deepEqual(connectionLimits(1 << 20, 10_000), { maxConnections: 12_000, maxClients: 10_000 });
  assert.deepEqual(connectionLimits(1 << 20, 10), { maxConnections: 2010, maxClients: 10 });
});

test('clients of the channel always leave room for HTTP, and connections for files', () => {
  fc.assert(
    fc.property(fc.integer({ min: 64, max: 1 << 20 }), fc.integer({ min: 1, max: 1_000_000 }), (files, clients) => {
      const { maxConnections, maxClients } = connectionLimits(files, clients);
      assert.ok(maxConnections >= 1 && maxClients >= 1 && maxClients <= clients);
      assert.ok(maxConnections <= files - Math.min(500, files / 2));
      assert.ok(maxClients < maxConnections);
    }),
  );
});

test('the limit of this process is known', () => {
  assert.ok(mostFiles() >= 64);
});
