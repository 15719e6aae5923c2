// Promises of the gate: what is refused, and in which order; recording.test.ts has what is recorded.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { declarationOf, type OperationName, ProblemError } from '@telltale/schema';
import pino from 'pino';
import { openAccess } from '../../test/open-access.ts';
import { localCaller, ModuleTokens } from '../access/index.ts';
import { Gate, type GateOptions } from './gate.ts';

function setUp(options: Partial<GateOptions> = {}) {
  const lines: { readonly level: number }[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const gate = new Gate({ unavailable: () => undefined, log, ...options });
  const tokens = new ModuleTokens();
  const module = openAccess(tokens).identify({ authorization: `Bearer ${tokens.issue('loop', 'pump')}` });
  const operation = (name: OperationName) => gate.operation(name, declarationOf(name));
  const refusalOf = (name: OperationName, caller = localCaller, object?: string) => {
    try {
      gate.admit(operation(name), caller);
      if (object !== undefined) gate.admitTo(operation(name), caller, object);
      return undefined;
    } catch (error) {
      return error instanceof ProblemError ? error.problem : String(error);
    }
  };
  const carryOut = (name: OperationName, work: () => unknown, caller = localCaller) =>
    gate.carryOut(operation(name), { caller, credentials: {} }, 'pump', work);
  return { lines, gate, module, operation, refusalOf, carryOut };
}

describe('the gate', () => {
  test('lets only the probes and documents pass while the service starts or stops', () => {
    for (const state of ['starting', 'stopping'] as const) {
      const { refusalOf, gate } = setUp({ unavailable: () => state });
      assert.deepEqual(
        [refusalOf('getHealth'), refusalOf('getReadiness'), refusalOf('getReference')],
        [undefined, undefined, undefined],
      );
      assert.deepEqual([refusalOf('getMeasurement'), refusalOf('writeCommand')], [state, state]);
      assert.equal(gate.isStopping, state === 'stopping');
    }
  });

  test('lets reads pass while the disk takes no writes, whatever their method', () => {
    const { refusalOf } = setUp({ writeRefusal: () => new ProblemError('disk-failing', 'The disk is full.') });
    for (const read of ['listMeasurements', 'browseConnector', 'downloadDatabase'] as const) {
      assert.equal(refusalOf(read), undefined, read);
    }
    for (const write of ['writeCommand', 'stopSimulation', 'compactArchive', 'putConfiguredAlarm'] as const) {
      assert.equal(refusalOf(write), 'disk-failing', write);
    }
  });

  test('lets a module read, and write to the names that it is given', () => {
    const { refusalOf, module } = setUp();
    assert.equal(refusalOf('listAlarms', module), undefined);
    assert.equal(refusalOf('writeCommand', module, 'pump'), undefined);
    assert.equal(refusalOf('writeCommand', module, 'valve'), 'not-allowed');
    for (const closed of ['eraseAlarmArchive', 'startFunctionModule', 'render', 'putExecutable'] as const) {
      assert.equal(refusalOf(closed, module), 'not-allowed', closed);
      assert.equal(refusalOf(closed), undefined, closed);
    }
  });
});

describe('operations on one object', () => {
  test('begin in the order in which they came, also where the first waits', async () => {
    const { gate, operation } = setUp();
    const [first, second] = [
      gate.turn(operation('writeCommand'), localCaller, 'pump'),
      gate.turn(operation('writeCommand'), localCaller, 'pump'),
    ];
    const begun: string[] = [];
    const later = second.begin(() => begun.push('second'));
    await gate.turn(operation('writeCommand'), localCaller, 'valve').begin(() => begun.push('other'));
    await first.begin(() => begun.push('first'));
    await later;
    assert.deepEqual(begun, ['other', 'first', 'second']);
  });

  test('do not wait for one that its caller may not carry out, such as the last item of a long batch', async () => {
    const { gate, module, operation } = setUp();
    for (const name of ['writeCommand', 'stopSimulation', 'acknowledgeAlarm'] as const) {
      gate.turn(operation(name), module, 'valve');
      await gate.turn(operation(name), localCaller, 'valve').begin(() => undefined);
      const [allowed, behind] = [
        gate.turn(operation(name), module, 'pump'),
        gate.turn(operation(name), localCaller, 'pump').begin(() => 'begun'),
      ];
      assert.equal(await Promise.race([behind, Promise.resolve('waits')]), 'waits');
      await allowed.begin(() => undefined);
      assert.equal(await behind, 'begun');
    }
  });
});

describe('the counts', () => {
  const countsOf = (gate: Gate) => Array.from(gate.outcomes(), (each) => [each.operation, each.outcome, each.count]);

  test('say what came of each operation, by name', async () => {
    const { gate, carryOut, operation } = setUp();
    carryOut('getMeasurement', () => 'bytes');
    await carryOut('getMeasurement', async () => 'bytes');
    await assert.rejects(carryOut('writeCommand', () => Promise.reject(new Error('no'))) as Promise<void>);
    gate.refuse(operation('writeCommand'), new ProblemError('out-of-range', 'It is too much.'));
    gate.refuse(operation('writeCommand'), new ProblemError('out-of-range', 'It is too much.'));
    gate.refuse(undefined, new ProblemError('unknown-request', 'There is none.'));
    assert.deepEqual(countsOf(gate), [
      ['getMeasurement', 'answered', 2],
      ['writeCommand', 'out-of-range', 2],
    ]);
  });

  test('have a fault of the service as internal; the log says what it was, the client does not learn it', () => {
    const { gate, operation, lines } = setUp();
    const problem = gate.refuse(operation('getAlarm'), new Error('a fault'));
    assert.deepEqual([problem.problem, problem.message.includes('fault')], ['internal', false]);
    assert.deepEqual([lines.length, lines[0]?.level], [1, 50]);
    assert.deepEqual(countsOf(gate), [['getAlarm', 'internal', 1]]);
  });
});
