// Promises of requests for approval: however many there are, somebody else can request as well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { closedAccess } from '../../test/memory-access.ts';

const action = {
  operation: 'writeCommand',
  input: { name: 'valve', value: 'b1' },
  reason: 'test',
  basis: '1',
} as const;

test('of requests that have ended the newest are kept, however many somebody makes and withdraws', async () => {
  const clock = new ManualClock();
  const { approvals } = await closedAccess({ clock });
  const waiting = await approvals.request({ ...action, requester: 'bert' });
  const withdrawn: string[] = [];
  for (let count = 0; count < 600; count++) {
    clock.advance(1);
    const { id } = await approvals.request({ ...action, requester: 'anna' });
    await approvals.reject(id, 'anna', undefined);
    withdrawn.push(id);
  }
  clock.advance(1);
  const last = await approvals.request({ ...action, requester: 'anna' });
  const kept = approvals.list().map(({ id }) => id);
  assert.deepEqual(kept, [last.id, ...withdrawn.slice(-500).reverse(), waiting.id]);
});
