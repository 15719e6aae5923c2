import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { DiskRetry } from './disk-retry.ts';

function setUp() {
  const clock = new ManualClock();
  const reported: (string | undefined)[] = [];
  let retries = 0;
  const disk = new DiskRetry({ clock, retry: () => retries++, onChange: (reason) => reported.push(reason) });
  return { clock, disk, reported, retries: () => retries };
}

test('a disk that refuses is reported once, with the first reason, and once when it takes something again', () => {
  const { disk, reported } = setUp();
  disk.note(undefined);
  disk.note('it is full');
  disk.note('it is full and slow');
  assert.equal(disk.reason, 'it is full and slow');
  disk.note(undefined);
  disk.note(undefined);
  assert.equal(disk.reason, undefined);
  assert.deepEqual(reported, ['it is full', undefined]);
});

test('it is retried a second after each refusal, and no more once it takes something', () => {
  const { clock, disk, retries } = setUp();
  disk.note('it is full');
  clock.advance(999);
  assert.equal(retries(), 0);
  disk.note('it is full');
  clock.advance(1000);
  assert.equal(retries(), 1);
  disk.note('it is full');
  disk.note(undefined);
  clock.advance(5000);
  assert.equal(retries(), 1);
});

test('one that is stopped is retried no more, but still noted', () => {
  const { clock, disk, retries, reported } = setUp();
  disk.note('it is full');
  disk.stop();
  disk.note('it is fuller');
  disk.note(undefined);
  clock.advance(5000);
  assert.deepEqual([retries(), reported], [0, ['it is full', undefined]]);
});
