import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { driven, linkedBench } from '../../test/linked-bench.ts';

const lost = 0x18;
const lastUsable = 0x44;

describe('a link whose thread is silent', () => {
  test('LI-8: that nothing is heard of turns its points bad, and as they were when it is heard of again', () => {
    const bench = linkedBench();
    bench.measurements.setSilent('connector', 'c', 'lost', 10);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 10, lost],
      ['b', 'd5', 10, lost],
    ]);
    bench.read('c', { point: 'a', value: 6, timeUs: 12 });
    assert.deepEqual(bench.news(), [['a', 'd6', 12, 0xc0]], 'what is read counts at once');
    bench.measurements.setSilent('connector', 'c', 'lost', 20);
    assert.deepEqual(bench.news(), [['a', 'd6', 20, lost]]);
    bench.measurements.setSilent('connector', 'c', undefined, 30);
    assert.deepEqual(bench.news(), [
      ['b', 'd5', 3, 0xc0],
      ['a', 'd6', 12, 0xc0],
    ]);
  });

  test('LI-8: that is late turns its points uncertain, last usable value, and bad only later; what is bad stays as it is', () => {
    const bench = linkedBench();
    bench.read('c', { point: 'b', value: 5, quality: 0x10, timeUs: 4 });
    bench.news();
    bench.measurements.setSilent('connector', 'c', 'late', 10);
    assert.deepEqual(bench.news(), [['a', 'd5', 10, lastUsable]]);
    bench.measurements.setSilent('connector', 'c', 'lost', 20);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 20, lost],
      ['b', 'd5', 20, lost],
    ]);
    bench.measurements.setSilent('connector', 'c', undefined, 30);
    assert.deepEqual(bench.news(), [
      ['a', 'd5', 3, 0xc0],
      ['b', 'd5', 4, 0x10],
    ]);
    assert.deepEqual(bench.vtq('free'), ['d5', 3, 0xc0], 'whatever the thread does');
  });

  test('LI-8: that is late again before it was heard of for long: what was read meanwhile is uncertain, the rest stays bad', () => {
    const bench = linkedBench();
    bench.measurements.setSilent('connector', 'c', 'late', 10);
    bench.measurements.setSilent('connector', 'c', 'lost', 20);
    bench.read('c', { point: 'a', value: 6, timeUs: 22 });
    bench.measurements.setSilent('connector', 'c', 'late', 25);
    assert.deepEqual([bench.vtq('a'), bench.vtq('b')[2]], [['d6', 25, lastUsable], lost]);
    bench.measurements.setSilent('connector', 'c', undefined, 30);
    assert.deepEqual(
      [bench.vtq('a'), bench.vtq('b')],
      [
        ['d6', 22, 0xc0],
        ['d5', 3, 0xc0],
      ],
    );
  });

  test('LI-8: that is late has its watchdog as it was, and a watchdog that fails meanwhile wins over what was before', () => {
    const reported = linkedBench({});
    reported.measurements.setSilent('connector', 'c', 'late', 10);
    assert.deepEqual(reported.vtq('w'), ['b1', 1, 0xc0]);
    const bench = linkedBench(driven);
    bench.measurements.setSilent('connector', 'c', 'late', 10);
    assert.deepEqual([bench.vtq('w'), bench.vtq('a')[2]], [['b1', 10, lastUsable], lastUsable], 'nothing is held');
    bench.read('c', { point: 'w', value: false, timeUs: 12 });
    bench.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual(bench.vtq('a'), ['d5', 12, lost]);
    bench.read('c', { point: 'w', value: true, timeUs: 30 });
    assert.deepEqual(bench.vtq('a'), ['d5', 3, 0xc0]);
  });

  test('LI-8: what is reported bad meanwhile, or is another point, stays bad, and so does everything where the link is lost', () => {
    const bench = linkedBench();
    bench.measurements.setSilent('connector', 'c', 'lost', 10);
    bench.read('c', { point: 'a', value: 5, quality: lost, timeUs: 12 });
    bench.put({ name: 'b', datatype: 'd', connectorName: 'c', address: 'another' });
    bench.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual([bench.vtq('a')[2], bench.vtq('b')[2] === 0xc0], [lost, false]);
    const gone = linkedBench();
    gone.measurements.setSilent('connector', 'c', 'lost', 10);
    gone.read('c', { point: 'a', value: 6, timeUs: 12 });
    gone.measurements.setLink('connector', 'c', false, 15);
    assert.deepEqual(gone.vtq('a'), ['d6', 15, lost]);
    gone.measurements.setLink('connector', 'c', true, 16);
    gone.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual([gone.vtq('a')[2], gone.vtq('b')[2]], [lost, lost]);
  });

  test('LI-8: its watchdog says so, whoever drives it, and lets go what it held when it is heard of again', () => {
    const reported = linkedBench({});
    reported.measurements.setSilent('connector', 'c', 'lost', 10);
    assert.deepEqual(reported.vtq('w'), ['b0', 10, 0xc0]);
    reported.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual(reported.vtq('w'), ['b1', 20, 0xc0]);
    const bench = linkedBench(driven);
    bench.measurements.setSilent('connector', 'c', 'lost', 10);
    bench.read('c', { point: 'a', value: 6, timeUs: 12 });
    assert.deepEqual([bench.vtq('w')[2], bench.vtq('a')[2]], [lost, lost]);
    bench.measurements.setSilent('connector', 'c', undefined, 20);
    assert.deepEqual(
      ['w', 'a', 'b'].map((name) => bench.vtq(name)),
      [
        ['b1', 2, 0xc0],
        ['d6', 12, 0xc0],
        ['d5', 3, 0xc0],
      ],
    );
  });
});
