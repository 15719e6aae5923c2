// Promises of operations and of the disk: what is published when, what survives, what a refusal leaves behind.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AlarmOperation, ProblemError } from '@telltale/schema';
import { AlarmBench, triggered } from '../../test/alarm-bench.ts';
import { allHeard } from '../../test/slow-disk.ts';

const isProblem = (name: string) => (error: unknown) => error instanceof ProblemError && error.problem === name;

/** Starts an operation; `outcome` is set when it is answered. */
function start(bench: AlarmBench, operation: AlarmOperation, authority = 'ann', name = 'a') {
  const started: { outcome?: string } = {};
  bench.alarms.operate(name, operation, authority).then(
    () => {
      started.outcome = 'done';
    },
    (error: ProblemError) => {
      started.outcome = error.problem;
    },
  );
  return started;
}

const plain = () => {
  const bench = new AlarmBench();
  bench.alarms.put({ name: 'a', severity: 1 });
  return bench;
};

test('AL-4: before its first transition an alarm is inactive, acknowledged, and nobody’s', () => {
  const { alarms } = plain();
  const state = { name: 'a', state: 'INACT_ACK', timeUs: 0, authority: '' };
  assert.deepEqual(alarms.stateOf(alarms.find('a')), state);
});

test('an alarm that is not there cannot be operated', async () => {
  const { alarms } = plain();
  for (const name of ['b', '__proto__', 'constructor', '']) {
    await assert.rejects(alarms.operate(name, 'activate', 'ann'), isProblem('unknown-object'));
  }
  assert.deepEqual([alarms.counts().operationsPending, alarms.counts().unsaved], [0, 0]);
});

test('AL-15: a trigger is published at once, though the disk takes nothing', async () => {
  const bench = new AlarmBench().with('d');
  bench.set('m', 11, 192, 5);
  assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 5']);
  assert.deepEqual(bench.disk.pending, ['a ACT_UNACK']);
  await bench.disk.answerAll();
  assert.deepEqual(bench.disk.alarms.get('a'), { name: 'a', state: 'ACT_UNACK', timeUs: 5, authority: 'trigger' });
  assert.equal(bench.alarms.counts().unsaved, 0);
});

test('AL-15: an alarm that changes faster than the disk is kept in its newest state', async () => {
  const bench = new AlarmBench().with('d');
  for (let time = 0; time < 1001; time++) bench.set('m', time % 2 === 0 ? 11 : 0, 192, time);
  assert.equal(bench.disk.pending.length, 1);
  await bench.disk.answer();
  assert.deepEqual(bench.disk.pending, ['a ACT_UNACK']);
  await bench.disk.answerAll();
  assert.equal(bench.disk.alarms.get('a')?.timeUs, 1000);
  assert.equal(bench.heard.length, 1001);
});

describe('AL-16: a disk that refuses', () => {
  test('is asked again after a pause, for the newest state, until it takes it', async () => {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11, 192, 1);
    await bench.disk.answer(false);
    bench.set('m', 0, 192, 2);
    for (const pauseMs of [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]) {
      assert.deepEqual(bench.disk.pending, []);
      bench.clock.advance(pauseMs - 1);
      assert.deepEqual(bench.disk.pending, []);
      bench.clock.advance(1);
      assert.deepEqual(bench.disk.pending, ['a INACT_UNACK']);
      await bench.disk.answer(false);
    }
    assert.deepEqual([bench.alarms.counts().storeFailures, bench.alarms.counts().unsaved], [9, 1]);
    bench.clock.advance(60000);
    await bench.disk.answerAll();
    assert.equal(bench.disk.alarms.get('a')?.timeUs, 2);
    assert.deepEqual([bench.clock.pending, bench.alarms.counts().unsaved], [0, 0]);
  });

  test('is asked at once when it is known to take writes again, and then as if it had never refused', async () => {
    const bench = new AlarmBench().with('d');
    bench.alarms.diskWorks();
    bench.set('m', 11, 192, 1);
    await bench.disk.answer(false);
    bench.clock.advance(1000);
    await bench.disk.answer(false);
    bench.alarms.diskWorks();
    assert.deepEqual([bench.disk.pending, bench.clock.pending], [['a ACT_UNACK'], 0]);
    await bench.disk.answer(false);
    bench.clock.advance(1000);
    assert.deepEqual(bench.disk.pending, ['a ACT_UNACK']);
    await bench.disk.answerAll();
    assert.equal(bench.alarms.counts().unsaved, 0);
  });

  test('costs one timer, however many alarms wait', async () => {
    const bench = new AlarmBench().with('d');
    for (let index = 0; index < 500; index++) bench.alarms.put(triggered({ name: `a${index}` }));
    bench.set('m', 11);
    for (let index = 0; index < 501; index++) await bench.disk.answer(false);
    assert.equal(bench.clock.pending, 1);
    bench.clock.advance(1000);
    await bench.disk.answerAll();
    assert.equal(bench.disk.alarms.size, 501);
  });

  test('to forget is asked again as well', async () => {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11);
    await bench.disk.answerAll();
    bench.alarms.remove('a');
    await bench.disk.answer(false);
    assert.equal(bench.disk.alarms.size, 1);
    bench.clock.advance(1000);
    await bench.disk.answerAll();
    assert.equal(bench.disk.alarms.size, 0);
  });

  test('is not asked again once the service closes', async () => {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11);
    const closing = bench.alarms.close();
    await bench.disk.answer(false);
    await closing;
    assert.equal(bench.clock.pending, 0);
  });
});

describe('AL-17: an operation', () => {
  test('is published and answered when it is on disk, and not before', async () => {
    const bench = plain();
    const operation = start(bench, 'activate');
    await allHeard();
    assert.deepEqual([operation.outcome, bench.news(), bench.stateOf('a')], [undefined, [], 'INACT_ACK']);
    bench.clock.advance(5);
    await bench.disk.answer();
    assert.deepEqual([operation.outcome, bench.news()], ['done', ['a ACT_UNACK ann 1000000000']]);
    assert.deepEqual(bench.disk.alarms.get('a'), bench.alarms.stateOf(bench.alarms.find('a')));
    assert.deepEqual([bench.disk.pending, bench.alarms.counts().unsaved], [[], 0]);
  });

  test('that the disk refuses has changed nothing, and says why', async () => {
    const bench = plain();
    const text = bench.alarms.text(bench.alarms.find('a'));
    const operating = bench.alarms.operate('a', 'activate', 'ann');
    const refused = assert.rejects(operating, { name: 'ProblemError', problem: 'storage-failed', message: /no space/ });
    await bench.disk.answer(false);
    await refused;
    assert.deepEqual([bench.news(), bench.alarms.text(bench.alarms.find('a'))], [[], text]);
    assert.equal(bench.alarms.counts().storeFailures, 1);
  });

  test('that the disk refused, but had taken, is undone on disk', async () => {
    const bench = plain();
    const operation = start(bench, 'activate');
    await bench.disk.answer(false);
    bench.disk.alarms.set('a', { name: 'a', state: 'ACT_UNACK', timeUs: 1, authority: 'ann' });
    bench.clock.advance(1000);
    await bench.disk.answerAll();
    assert.deepEqual([operation.outcome, bench.disk.alarms.get('a')?.state], ['storage-failed', 'INACT_ACK']);
  });

  test('on an alarm that is removed meanwhile fails, and leaves nothing on disk', async () => {
    const bench = plain();
    const operations = [start(bench, 'activate'), start(bench, 'acknowledge')];
    bench.alarms.remove('a');
    await bench.disk.answerAll();
    assert.deepEqual(
      operations.map(({ outcome }) => outcome),
      ['unknown-object', 'unknown-object'],
    );
    assert.deepEqual([bench.disk.alarms.size, bench.news()], [0, ['a removed']]);
  });
});

describe('AL-18: operations on one alarm', () => {
  test('are carried out one at a time, in order', async () => {
    const bench = plain();
    const operations = (['activate', 'acknowledge', 'deactivate'] as const).map((each) => start(bench, each, each));
    for (const [at, state] of ['ACT_UNACK', 'ACT_ACK', 'INACT_ACK'].entries()) {
      assert.deepEqual(bench.disk.pending, [`a ${state}`]);
      await bench.disk.answer();
      assert.equal(operations.filter(({ outcome }) => outcome === 'done').length, at + 1);
    }
    assert.deepEqual(
      bench.news().map((text) => text.split(' ')[1]),
      ['ACT_UNACK', 'ACT_ACK', 'INACT_ACK'],
    );
  });

  test('AL-3: that change nothing wait for those before them, and for nothing else', async () => {
    const bench = plain();
    const idle = start(bench, 'acknowledge');
    await allHeard();
    assert.deepEqual([idle.outcome, bench.disk.pending, bench.heard], ['done', [], []]);
    const [first, second] = [start(bench, 'activate'), start(bench, 'activate', 'bob')];
    await allHeard();
    assert.deepEqual([first.outcome, second.outcome], [undefined, undefined]);
    await bench.disk.answer();
    assert.deepEqual([first.outcome, second.outcome, bench.disk.pending], ['done', 'done', []]);
    assert.deepEqual(bench.news(), ['a ACT_UNACK ann 1000000000']);
  });

  test('are tried again after one that failed', async () => {
    const bench = plain();
    const operations = [start(bench, 'activate'), start(bench, 'activate', 'bob')];
    await bench.disk.answer(false);
    await bench.disk.answer();
    assert.deepEqual(
      operations.map(({ outcome }) => outcome),
      ['storage-failed', 'done'],
    );
    assert.deepEqual(bench.news(), ['a ACT_UNACK bob 1000000000']);
  });

  test('do not wait for those on others', async () => {
    const bench = plain();
    bench.alarms.put({ name: 'b', severity: 1 });
    start(bench, 'activate');
    start(bench, 'activate', 'bob', 'b');
    assert.deepEqual(bench.disk.pending, ['a ACT_UNACK', 'b ACT_UNACK']);
  });
});

describe('AL-19: an operation that meets a trigger on its way to disk', () => {
  test('is computed again from the new state', async () => {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11, 192, 1);
    await bench.disk.answerAll();
    const acknowledged = start(bench, 'acknowledge');
    bench.set('m', 0, 192, 2);
    await bench.disk.answer();
    assert.deepEqual([acknowledged.outcome, bench.disk.pending], [undefined, ['a INACT_ACK']]);
    await bench.disk.answerAll();
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 1', 'a INACT_UNACK trigger 2', 'a INACT_ACK ann 1000000000']);
    assert.deepEqual([acknowledged.outcome, bench.disk.alarms.get('a')?.state], ['done', 'INACT_ACK']);
  });

  test('that has done its work is done, and the state of the trigger is kept', async () => {
    const bench = new AlarmBench().with('d');
    const activated = start(bench, 'activate');
    bench.set('m', 11, 192, 2);
    await bench.disk.answer();
    assert.equal(activated.outcome, 'done');
    await bench.disk.answerAll();
    assert.deepEqual(bench.news(), ['a ACT_UNACK trigger 2']);
    assert.equal(bench.disk.alarms.get('a')?.authority, 'trigger');
  });

  test('that came and went is not written again, and is later than it', async () => {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11, 192, 1);
    await bench.disk.answerAll();
    bench.news();
    const acknowledged = start(bench, 'acknowledge');
    bench.clock.advance(3);
    bench.set('m', 0, 192, 2);
    bench.set('m', 11, 192, 3);
    await bench.disk.answer();
    assert.deepEqual([acknowledged.outcome, bench.disk.alarms.get('a')?.state], ['done', 'ACT_ACK']);
    assert.deepEqual(bench.news().at(-1), 'a ACT_ACK ann 1000003000');
    await bench.disk.answerAll();
    assert.equal(bench.disk.alarms.get('a')?.timeUs, 1_000_003_000);
  });

  test('and a definition by which it does nothing leaves nothing on disk', async () => {
    const bench = plain();
    start(bench, 'activate');
    await bench.disk.answerAll();
    bench.alarms.put({ name: 'a', severity: 1, ackMode: 'auto' });
    const activated = start(bench, 'activate', 'bob');
    assert.deepEqual(bench.disk.pending, ['a ACT_ACK']);
    bench.alarms.put({ name: 'a', severity: 1 });
    await bench.disk.answerAll();
    assert.deepEqual([activated.outcome, bench.stateOf('a')], ['done', 'ACT_UNACK']);
    assert.equal(bench.disk.alarms.get('a')?.state, 'ACT_UNACK');
  });

  test('AL-20: nothing comes to lie over an operation that was answered', async () => {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11);
    await bench.disk.answerAll();
    const acknowledged = start(bench, 'acknowledge');
    bench.set('m', 0);
    bench.set('m', 11);
    assert.deepEqual(bench.disk.pending, ['a ACT_ACK']);
    await bench.disk.answer();
    assert.equal(acknowledged.outcome, 'done');
    assert.deepEqual(bench.disk.pending, ['a ACT_ACK']);
  });
});

describe('AL-21: what was on disk', () => {
  const stored = [
    { name: '__proto__', state: 'ACT_ACK', timeUs: 7, authority: 'ann' },
    { name: 'gone', state: 'ACT_UNACK', timeUs: 8, authority: 'bob' },
  ] as const;

  test('is restored, and its trigger goes on from it', () => {
    const bench = new AlarmBench();
    bench.alarms.restore(stored);
    bench.measurements.add('m', 'd');
    bench.alarms.put(triggered({ name: '__proto__', trgHysteresis: '5' }));
    assert.deepEqual(bench.alarms.stateOf(bench.alarms.find('__proto__')), stored[0]);
    bench.set('m', 6, 192, 9);
    assert.deepEqual(bench.news(), []);
    bench.set('m', 5, 192, 9);
    assert.deepEqual(bench.news(), ['__proto__ INACT_ACK trigger 9']);
    assert.deepEqual(bench.alarms.counts().byState, { INACT_ACK: 1, ACT_UNACK: 0, ACT_ACK: 0, INACT_UNACK: 0 });
  });

  test('and belongs to no alarm is forgotten', async () => {
    const bench = new AlarmBench();
    for (const alarm of stored) bench.disk.alarms.set(alarm.name, alarm);
    bench.alarms.restore(stored);
    bench.alarms.put({ name: '__proto__', severity: 0 });
    bench.alarms.deleteOrphans();
    await bench.disk.answerAll();
    assert.deepEqual([...bench.disk.alarms.keys()], ['__proto__']);
    bench.alarms.put({ name: 'gone', severity: 0 });
    assert.equal(bench.stateOf('gone'), 'INACT_ACK');
  });

  test('belongs to the first alarm of its name alone', () => {
    const bench = new AlarmBench();
    bench.alarms.restore(stored);
    bench.alarms.put({ name: 'gone', severity: 0 });
    bench.alarms.remove('gone');
    bench.alarms.put({ name: 'gone', severity: 0 });
    assert.equal(bench.stateOf('gone'), 'INACT_ACK');
  });

  test('of a removed alarm is not that of a new one of its name', async () => {
    const bench = new AlarmBench().with('d');
    bench.set('m', 11);
    bench.alarms.remove('a');
    bench.alarms.put({ name: 'a', severity: 1 });
    await bench.disk.answerAll();
    assert.equal(bench.stateOf('a'), 'INACT_ACK');
    assert.notEqual(bench.disk.alarms.get('a')?.state, 'ACT_UNACK');
  });
});

test('closing waits for what is on its way to disk', async () => {
  const bench = new AlarmBench().with('d');
  bench.set('m', 11);
  bench.set('m', 0);
  let isClosed = false;
  const closing = bench.alarms.close().then(() => {
    isClosed = true;
  });
  await bench.disk.answer();
  assert.equal(isClosed, false);
  await bench.disk.answer();
  assert.equal(bench.disk.alarms.get('a')?.state, 'INACT_UNACK');
  await closing;
});

test('AL-2: an alarm that acknowledges itself does so whoever operates it', async () => {
  const bench = new AlarmBench().with('d', { ackMode: 'auto' });
  bench.set('m', 11);
  assert.equal(bench.stateOf('a'), 'ACT_ACK');
  start(bench, 'deactivate');
  await bench.disk.answerAll();
  assert.equal(bench.stateOf('a'), 'INACT_ACK');
});

test('AL-30: an alarm goes on with what another node of the site has stored, now or when it comes, and stores nothing of it', () => {
  const bench = plain();
  const { alarms } = bench;
  const stored = { name: 'a', state: 'ACT_ACK', timeUs: 77, authority: 'anna' } as const;
  alarms.storedElsewhere('a', stored);
  alarms.storedElsewhere('a', stored);
  alarms.storedElsewhere('later', { ...stored, name: 'later' });
  alarms.put({ name: 'later', severity: 1 });
  assert.deepEqual(bench.news(), ['a ACT_ACK anna 77']);
  assert.deepEqual([...alarms.stored()], [stored, { ...stored, name: 'later' }]);
  alarms.storedElsewhere('a', undefined);
  assert.deepEqual([...alarms.stored()], [{ ...stored, name: 'later' }]);
  assert.deepEqual(bench.disk.pending, []);
});

test('AL-29: a transition of another server is published with its time and authority, and stored nowhere', () => {
  const bench = plain();
  const { alarms } = bench;
  const adopted = { state: 'ACT_UNACK', timeUs: 77, authority: 'connector/north', message: 'too hot' } as const;
  alarms.adopt(alarms.find('a'), adopted);
  assert.deepEqual(bench.news(), ['a ACT_UNACK connector/north 77']);
  assert.deepEqual(alarms.stateOf(alarms.find('a')), { name: 'a', ...adopted });
  assert.match(alarms.text(alarms.find('a')), /"description":"too hot"/);
  assert.deepEqual([bench.disk.pending, alarms.counts().byState.ACT_UNACK], [[], 1]);
});
