// A block that a client writes at the Modbus provider goes through the server, and to the device of its commands, in one piece.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { block, blockDone, startBlockPlant } from './modbus-block-plant.ts';

test('100 registers that a client writes at once reach the device by one request', async (t) => {
  const { server, client, writes } = await startBlockPlant(cleanupOf(t));
  assert.equal(await client.ask(block((at) => at)), blockDone);
  assert.deepEqual(writes, [block((at) => at).replaceAll(' ', '')]);
  const { vt } = (await (await fetch(`${server.url}/data/commands/c99`)).json()) as { vt: [string] };
  assert.equal(vt[0], 'i99');
});
