// What is sent to a PostgreSQL that Patroni leads, while whoever leads there is killed with its Patroni: nothing that was acknowledged is
// lost, and the store takes more soon. PATRONI_ROUNDS says how many times.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '@telltale/schema';
import { Patroni, withoutPatroni } from '../../../../../test/engines/patroni.ts';
import { connectTo, parcelBytes } from '../../../test/store-database.ts';
import { StoreError } from '../store-error.ts';
import { PostgresStore } from './postgres-store.ts';

const long = process.env.PATRONI_ROUNDS;
const rounds = Number(long ?? 1);
const boundMs = 40_000;
const retryMs = 100;

/** Sends one parcel after the other, again where no answer comes, as a site does. */
class Sending {
  /** The newest that was acknowledged, and when it was. */
  seq = 0;
  atMs = performance.now();
  longestMs = 0;
  isOver = false;
  readonly #store: PostgresStore;

  constructor(store: PostgresStore) {
    this.#store = store;
  }

  async run(): Promise<void> {
    const { epoch } = await this.#store.claim('here');
    this.#acknowledged(0);
    while (!this.isOver) {
      const seq = this.seq + 1;
      try {
        const received = await this.#store.send('here', epoch, seq, parcelBytes({ epoch, seq }));
        assert.equal(received.seq, seq);
        this.#acknowledged(seq);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await sleep(retryMs);
      }
    }
  }

  #acknowledged(seq: number): void {
    const nowMs = performance.now();
    this.longestMs = Math.max(this.longestMs, nowMs - this.atMs);
    [this.seq, this.atMs] = [seq, nowMs];
  }
}

test(`a store behind Patroni has all that it acknowledged after ${rounds} kills of whoever leads`, {
  skip: withoutPatroni,
  timeout: 240_000 + 180_000 * rounds,
}, async (t) => {
  const patroni = await Patroni.start(t);
  const address = patroni.url();
  const store = new PostgresStore({ address, clock: systemClock, limitMs: 5000 });
  const sending = new Sending(store);
  const run = sending.run();
  const awayMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const primary = await patroni.primary();
    await patroni.whole();
    const { seq: before } = sending;
    while (sending.seq === before) await sleep(retryMs);
    sending.longestMs = 0;
    const { seq } = sending;
    await primary.kill();
    const second = await patroni.primary();
    assert.notEqual(second.name, primary.name);
    while (sending.seq <= seq + 1 || performance.now() - sending.atMs > retryMs * 10) await sleep(retryMs);
    awayMs.push(sending.longestMs);
    await primary.again();
  }
  sending.isOver = true;
  await run;
  store.close();
  const connection = await connectTo(t, address, 'read-write'); // the other one may still be behind
  const { rows } = await connection.query<{ least: number; most: number; count: number }>(
    `select min(seq) as least, max(seq) as most, count(*) as count from telltale.parcel where site = 'here'`,
  );
  const shown = awayMs.map((ms) => (ms / 1000).toFixed(1)).join(', ');
  t.diagnostic(`${sending.seq} parcels acknowledged; the longest wait for one, in s: ${shown}`);
  assert.deepEqual(rows, [{ least: 1, most: sending.seq, count: sending.seq }]);
  if (long !== undefined) assert.ok(Math.max(...awayMs) <= boundMs, shown);
});
