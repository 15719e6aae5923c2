import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Batch } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { type CommitGroup, RecordQueue } from './record-queue.ts';

const commitMs = 50;
const level = { kind: 'measurements', name: 'level', datatype: 'd' } as const;

let clock: ManualClock;
let sent: CommitGroup[];
let dropped: number[];
let queue: RecordQueue;

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  dropped = [];
  queue = new RecordQueue({
    clock,
    commitMs,
    maxPendingBytes: 1 << 20,
    send: (group) => sent.push(group),
    onDropped: (count) => dropped.push(count),
  });
});

function add(count: number): void {
  for (let index = 0; index < count; index++) queue.batch.number(queue.refOf(level), index, 0xc0, index);
  queue.added();
}

const recordsOf = ({ batches }: CommitGroup) => batches.reduce((sum, { count }) => sum + count, 0);

describe('records on their way to the disk', () => {
  test('are gathered for the interval, then go together, each source declared once', () => {
    add(2);
    add(3);
    clock.advance(commitMs - 1);
    assert.equal(sent.length, 0);
    clock.advance(1);
    assert.deepEqual(sent.map(recordsOf), [5]);
    assert.deepEqual(sent[0]?.newSeries, [level]);
    queue.settled();
    assert.equal(queue.refOf({ ...level, datatype: 'i' }), 1);
    add(1);
    clock.advance(commitMs);
    assert.deepEqual(sent[1]?.newSeries, [{ ...level, datatype: 'i' }]);
  });

  test('wait while the group before is on its way, and go at once afterwards', () => {
    add(1);
    clock.advance(commitMs);
    add(2);
    clock.advance(10 * commitMs);
    assert.deepEqual(sent.map(recordsOf), [1]);
    assert.equal(queue.pending, 3);
    queue.settled();
    clock.advance(commitMs);
    assert.deepEqual(sent.map(recordsOf), [1, 2]);
    assert.equal(queue.stored, 1);
  });

  test('are dropped, the oldest first, where they would take more than their room: none uncounted', () => {
    add(1);
    clock.advance(commitMs);
    for (let round = 0; round < 10; round++) add(16_384);
    assert.ok(queue.pendingBytes <= 1 << 20);
    assert.equal(queue.dropped, 8 * 16_384);
    assert.deepEqual(dropped, Array(8).fill(16_384));
    queue.settled();
    assert.equal(sent[1] && recordsOf(sent[1]), 2 * 16_384);
    queue.settled();
    assert.equal(queue.stored + queue.dropped + queue.pending, 10 * 16_384 + 1);
    assert.equal(queue.pending, 0);
  });

  test('that somebody waits for go at once, in order, and are never dropped', async () => {
    add(1);
    const batch = new Batch();
    batch.text(queue.refOf(level), 'x'.repeat(1 << 21), 0x1c0, 5);
    const imported = queue.import(level, batch.take());
    add(16_384);
    assert.deepEqual(sent.map(recordsOf), [2]);
    const reported: string[] = [];
    imported.then(() => reported.push('imported'));
    const all = queue.allStored().then(() => reported.push('all'));
    queue.settled();
    await imported;
    assert.deepEqual(reported, ['imported']);
    add(1); // later than what is waited for
    queue.settled();
    await all;
    assert.deepEqual(sent.map(recordsOf), [2, 16_384]);
    assert.deepEqual(reported, ['imported', 'all']);
    assert.equal(queue.pending, 1);
  });

  test('that somebody waits for are answered where the disk refuses, and wait on', async () => {
    const batch = new Batch();
    batch.number(queue.refOf(level), 1, 0x1c0, 5);
    const imported = queue.import(level, batch.take());
    const later = new Batch();
    later.number(queue.refOf(level), 2, 0x1c0, 6);
    const next = queue.import(level, later.take());
    const [first, second] = [assert.rejects(imported, /full/), assert.rejects(next, /full/)];
    queue.refused(new Error('the disk is full'));
    await Promise.all([first, second]);
    assert.equal(queue.pending, 2);
    queue.settled();
    queue.settled();
    assert.deepEqual([queue.stored, queue.pending], [2, 0]);
  });
});
