import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noDetail } from '@telltale/stack-kit/host';
import { Hosted, zeroInstanceCounters } from './hosted.ts';
import type { InstanceReport } from './instance-status.ts';

const instance = { name: 'plc', stackName: 'modbus' } as Hosted['instance'];
const second = 1_000_000;

function report(state: InstanceReport['state'], sinceUs: number, connects = 0): InstanceReport {
  const counters = { ...zeroInstanceCounters(), connects };
  const none = { valuesPerSecond: 0, requestsPerSecond: 0, roundTrip: undefined, scanPeriodMs: undefined };
  return { state, sinceUs, lastError: undefined, points: 0, counters, detail: noDetail, ...none };
}

/** Started at 0. */
function host(): { hosted: Hosted; take: (report: InstanceReport) => void; since: () => number } {
  const hosted = new Hosted('connector', instance, 1, 0, undefined);
  hosted.started(1, 0);
  const take = (each: InstanceReport) => hosted.take(hosted.id, zeroInstanceCounters(), each);
  return { hosted, take, since: () => hosted.status().sinceUs };
}

describe('the time since which a connector has no link', () => {
  test('is its start, until it has had one', () => {
    const { hosted, take, since } = host();
    take(report('down', 5 * second));
    assert.equal(since(), 0);
    hosted.started(2, 9 * second);
    take(report('connecting', 9 * second));
    assert.equal(since(), 0);
  });

  test('is when it was lost, also where it, or its thread, is started again meanwhile', () => {
    const { hosted, take, since } = host();
    take(report('up', second, 1));
    assert.equal(since(), second);
    take(report('down', 5 * second, 1));
    hosted.ended('the thread crashed', 7 * second);
    hosted.started(2, 8 * second);
    take(report('down', 9 * second));
    assert.deepEqual([hosted.state, since()], ['down', 5 * second]);
    take(report('up', 10 * second, 1));
    take(report('down', 12 * second, 1));
    assert.equal(since(), 12 * second);
  });

  test('is when its thread ended, or was given up, where it had one until then', () => {
    const { hosted, take, since } = host();
    take(report('up', second, 1));
    hosted.ended('the thread crashed', 7 * second);
    hosted.started(2, 8 * second);
    take(report('connecting', 8 * second));
    assert.equal(since(), 7 * second);
    take(report('up', 9 * second, 1));
    hosted.silent('lost', 10 * second, 15 * second);
    hosted.ended('the thread does not answer', 20 * second);
    assert.equal(since(), 15 * second);
  });

  test('begins anew when it is put into service again', () => {
    const { hosted, take, since } = host();
    take(report('down', second));
    hosted.setDisabled({ by: 'anna', timeUs: 3 * second, reason: undefined }, 3 * second);
    assert.equal(since(), 3 * second);
    hosted.setDisabled(undefined, 9 * second);
    hosted.started(2, 9 * second);
    take(report('connecting', 9 * second));
    assert.equal(since(), 9 * second);
  });
});
