// What a sender does while there is nothing to send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { until } from '@telltale/stack-kit/testing';
import { PlainStore } from '../../test/plain-store.ts';
import type { OutgoingPiece } from '../archive/outgoing/outgoing-piece.ts';
import { firstPosition, positionText } from '../archive/outgoing/position.ts';
import { Sender, type SenderState } from './sender.ts';

const nothing: OutgoingPiece = {
  position: firstPosition(1, 0),
  series: [],
  renamed: [],
  erasures: [],
  live: [],
  block: undefined,
  nextEpoch: undefined,
  discarded: { count: 0, sinceUs: 0, untilUs: 0 },
  stored: 0,
  dropped: 0,
  waiting: 0,
  oldestUnsentUs: 0,
};

/** Of an archive that stays empty. */
const methods: Record<string, (...args: never[]) => unknown> = {
  open: () => ({ epoch: undefined, nextEpoch: undefined, series: [] }),
  begin: () => nothing.position,
  next: () => nothing,
  counts: () => nothing,
};

test('a sender with nothing to send asks now and then whether the store is there', async (t) => {
  const [clock, store] = [new ManualClock(1), new PlainStore()];
  let state: SenderState | undefined;
  let asked = 0;
  let isAway = false;
  store.newest = async () => {
    asked++;
    if (isAway) throw new Error('the store is away');
    return { seq: 0, position: positionText(nothing.position) };
  };
  const sender = new Sender({
    site: 'here',
    clock,
    store,
    areEpochsGiven: false,
    gatherMs: 0,
    archive: { call: async (method: string) => methods[method]?.(), notify: () => {} } as never,
    onState: (told) => {
      state = told;
    },
  });
  sender.start();
  t.after(() => sender.stop());
  await until('it has nothing to do', () => state?.isIdle === true && clock.pending === 1);
  clock.advance(14_000);
  assert.equal(asked, 0);
  clock.advance(1000);
  await until('it has asked', () => asked === 1 && clock.pending === 1);
  assert.equal(state?.failure, undefined);
  isAway = true;
  clock.advance(15_000);
  await until('it has noticed', () => state?.failure === 'the store is away');
});
