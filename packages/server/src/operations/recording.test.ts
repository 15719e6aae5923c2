// Promises of what the gate records: who did what, when it is done or refused; every refusal once; and what is refused while the
// trail cannot be written.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { declarationOf, type OperationName, ProblemError } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import pino from 'pino';
import { openAccess } from '../../test/open-access.ts';
import { localCaller, ModuleTokens, nobody } from '../access/index.ts';
import type { AuditEntry } from '../audit/index.ts';
import { Gate } from './gate.ts';
import { type Asking, type Note, Recording } from './recording.ts';

function setUp() {
  const records: AuditEntry[] = [];
  const trail = {
    failure: undefined as string | undefined,
    /** Answers when it is said so. */
    disk: Promise.resolve(),
    record: async (entry: AuditEntry) => {
      records.push(JSON.parse(JSON.stringify(entry)));
      await trail.disk;
      return trail.failure === undefined;
    },
  };
  const clock = new ManualClock();
  const areaOf = (_: string, name: string) => (name === 'pump' ? 'hall.1' : undefined);
  const recording = new Recording({ trail, rendering: () => 7, areaOf, clock });
  const gate = new Gate({ unavailable: () => undefined, log: pino({ level: 'silent' }), recording });
  const tokens = new ModuleTokens();
  const module = openAccess(tokens).identify({ authorization: `Bearer ${tokens.issue('loop', 'pump')}` });
  const operation = (name: OperationName) => gate.operation(name, declarationOf(name));
  const asking: Asking = { caller: localCaller, credentials: { source: '10.0.0.5' } };
  const carryOut = (name: OperationName, work: (note: Note) => unknown, object = 'pump') =>
    gate.carryOut(operation(name), asking, object, work);
  return { records, trail, clock, gate, module, operation, asking, carryOut };
}

const refusal = () => new ProblemError('not-allowed', 'No.');
const of = ({ who, operation, object, result }: AuditEntry) => [who, operation, object, result];

describe('an audited operation', () => {
  test('is recorded with all that is known and noted, and answered when that is on disk', async () => {
    const { records, trail, carryOut, operation } = setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    trail.disk = promise;
    let isAnswered = false;
    const done = Promise.resolve(
      carryOut('writeCommand', (note) => {
        note({ old: 'i1' });
        note({ new: 'i2', reason: 'test' });
        return 'answer';
      }),
    ).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await new Promise(setImmediate);
    assert.deepEqual([isAnswered, operation('writeCommand').answered], [false, 0]);
    resolve();
    assert.equal(await done, 'answer');
    const expected = {
      ...{ who: 'local', kind: 'local', source: '10.0.0.5', operation: 'writeCommand', object: 'pump', area: 'hall.1' },
      ...{ old: 'i1', new: 'i2', reason: 'test', result: 'done', rendering: 7 },
    };
    assert.deepEqual(records, [expected]);
    await new Promise(setImmediate);
    assert.equal(operation('writeCommand').answered, 1);
  });

  test('begins at once, so that those on one object begin in order', () => {
    const { carryOut } = setUp();
    let hasBegun = false;
    void carryOut('writeCommand', () => {
      hasBegun = true;
    });
    assert.ok(hasBegun);
  });

  test('that fails is recorded once, with its problem, and hands the error on, wherever that is counted', async () => {
    const { records, carryOut, gate, operation, asking } = setUp();
    const errors = [new ProblemError('out-of-range', 'Too much.'), refusal(), new Error('a fault')];
    for (const error of errors) {
      const failing = [
        () => Promise.reject(error),
        () => {
          throw error;
        },
      ];
      for (const work of failing) {
        records.length = 0;
        await assert.rejects(async () => carryOut('writeCommand', work), error);
        gate.denied(operation('writeCommand'), asking, 'pump', error);
        const result = error instanceof ProblemError ? error.problem : 'internal';
        assert.deepEqual(records.map(of), [['local', 'writeCommand', 'pump', result]]);
      }
    }
  });

  test('says who it has turned out to be', async () => {
    const { records, carryOut } = setUp();
    await carryOut('signIn', (note) => note({ who: 'anna', kind: 'user', session: 's1' }), '');
    assert.deepEqual([records[0]?.who, records[0]?.kind, records[0]?.session], ['anna', 'user', 's1']);
  });
});

describe('a read', () => {
  test('is not recorded, unless its declaration says so, as that of a download does; its answer is there at once', async () => {
    const { records, carryOut } = setUp();
    assert.equal(
      carryOut('getMeasurement', () => 'bytes'),
      'bytes',
    );
    assert.deepEqual(records, []);
    await carryOut('downloadDatabase', () => 'bytes', '');
    assert.deepEqual(records.map(of), [['local', 'downloadDatabase', '', 'done']]);
  });

  test('that is refused is recorded, where the refusal is one of its caller', async () => {
    const { records, carryOut } = setUp();
    const works = [() => Promise.reject(refusal()), () => Promise.reject(new ProblemError('unknown-object', 'None.'))];
    for (const work of works) await assert.rejects(async () => carryOut('getMeasurement', work), ProblemError);
    assert.throws(() =>
      carryOut('getMeasurement', () => {
        throw refusal();
      }),
    );
    await new Promise(setImmediate);
    assert.deepEqual(
      records.map(of),
      [1, 2].map(() => ['local', 'getMeasurement', 'pump', 'not-allowed']),
    );
  });
});

test('a write of a function module is recorded as that of any other caller', async () => {
  const { records, gate, module, operation } = setUp();
  await gate.carryOut(operation('writeCommand'), { caller: module, credentials: {} }, 'pump', () => undefined);
  assert.deepEqual(
    records.map(({ kind, ...record }) => [kind, ...of(record as AuditEntry)]),
    [['module', 'module/loop', 'writeCommand', 'pump', 'done']],
  );
});

describe('a refusal', () => {
  test('of the gate is recorded once, however often it is passed on', () => {
    const { records, gate, module, operation } = setUp();
    const asking = { caller: module, credentials: {} };
    try {
      gate.admitTo(operation('writeCommand'), module, 'valve');
      assert.fail('it was admitted');
    } catch (error) {
      for (let again = 0; again < 2; again++) gate.denied(operation('writeCommand'), asking, 'valve', error);
    }
    assert.deepEqual(records.map(of), [['module/loop', 'writeCommand', 'valve', 'not-allowed']]);
  });

  test('of a request without an operation is recorded as well; of what is malformed nothing is', () => {
    const { records, gate } = setUp();
    const asking = { caller: nobody, credentials: { source: '10.0.0.9' } };
    gate.denied(undefined, asking, '', new ProblemError('foreign-origin', 'No.'));
    gate.denied(undefined, asking, '', new ProblemError('malformed-request', 'No.'));
    gate.denied(undefined, asking, '', new Error('a fault'));
    assert.deepEqual(records.map(of), [['nobody', 'request', '', 'foreign-origin']]);
  });

  test('beyond what the disk can bear is counted, and told with the next one that is recorded', () => {
    const { records, gate, clock } = setUp();
    const asking = { caller: nobody, credentials: {} };
    const deny = (times: number) => {
      for (let at = 0; at < times; at++) gate.denied(undefined, asking, '', refusal());
    };
    deny(10_500);
    assert.equal(records.length, 10_000);
    clock.advance(1000);
    deny(11);
    assert.equal(records.length, 10_011);
    assert.deepEqual([records[10_000]?.operation, records[10_000]?.new], ['denyRequests', { count: 500 }]);
  });
});

test('nobody fills the disk by signing in with wrong passwords', async () => {
  const { records, gate, operation } = setUp();
  const wrong = () => {
    throw new ProblemError('wrong-credentials', 'No.');
  };
  for (let at = 0; at < 10_100; at++) {
    const asking = { caller: nobody, credentials: {} };
    await assert.rejects(async () => gate.carryOut(operation('signIn'), asking, 'anna', wrong));
  }
  assert.equal(records.length, 10_000);
});

test('nobody fills the disk by asking for what a site refuses, or cannot be asked for; what was done is recorded', async () => {
  const { records, carryOut } = setUp();
  for (let at = 0; at < 5100; at++) {
    await carryOut('writeCommand', (note) => note({ isRefused: true, result: 'not-allowed' }));
    const away = (note: Note) => {
      note({ isRefused: true });
      throw new ProblemError('site-away', 'No.');
    };
    await assert.rejects(async () => carryOut('writeCommand', away));
  }
  assert.equal(records.length, 10_000);
  await carryOut('writeCommand', (note) => note({ isRefused: false }));
  assert.deepEqual([records.length, records.at(-1)?.result], [10_001, 'done']);
});

describe('while the trail cannot be written', () => {
  test('changes of the configuration and of users are refused, and operating goes on', async () => {
    const { trail, gate, operation, carryOut, records } = setUp();
    trail.failure = 'ENOSPC: no space left on device';
    const refused = ['putConfiguredAlarm', 'render', 'putUser', 'makeToken', 'putExecutable'] as const;
    for (const name of refused) {
      assert.throws(
        () =>
          gate.admit(operation(name), {
            ...localCaller,
            kind: 'user',
            rights: { ...localCaller.rights, has: () => true },
          }),
        (error: ProblemError) => error.problem === 'audit-failing' && /no space left/.test(error.message),
        name,
      );
    }
    const goingOn = [
      'writeCommand',
      'acknowledgeAlarm',
      'simulateMeasurement',
      'startFunctionModule',
      'signIn',
      'getMeasurement',
    ] as const;
    for (const name of goingOn) gate.admit(operation(name), localCaller);
    assert.equal(await carryOut('writeCommand', () => 'done'), 'done');
    assert.equal(records.length, 1);
  });

  test('a change whose record the disk refused is answered as one that is done and not recorded', async () => {
    const { trail, carryOut } = setUp();
    const changing = async () =>
      carryOut('putConfiguredAlarm', () => {
        trail.failure = 'ENOSPC';
      });
    await assert.rejects(changing, (error: ProblemError) => {
      assert.equal(error.problem, 'storage-failed');
      assert.match(error.message, /^It is done, but its record in the audit trail is not on disk yet: ENOSPC\.$/);
      return true;
    });
  });
});
