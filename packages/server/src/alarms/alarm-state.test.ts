// Promises of the state machine, as the table of SPEC.md has it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlarmState, alarmOperations } from '@telltale/schema';
import { isActive, nextState } from './alarm-state.ts';

const states = ['INACT_ACK', 'ACT_UNACK', 'ACT_ACK', 'INACT_UNACK'] as const;
type Row = readonly [AlarmState, AlarmState, AlarmState, AlarmState];

/** In the order of `states`. */
const manual = {
  activate: ['ACT_UNACK', 'ACT_UNACK', 'ACT_ACK', 'ACT_UNACK'],
  deactivate: ['INACT_ACK', 'INACT_UNACK', 'INACT_ACK', 'INACT_UNACK'],
  acknowledge: ['INACT_ACK', 'ACT_ACK', 'ACT_ACK', 'INACT_ACK'],
} satisfies Record<string, Row>;

const auto = {
  activate: ['ACT_ACK', 'ACT_ACK', 'ACT_ACK', 'ACT_ACK'],
  deactivate: ['INACT_ACK', 'INACT_ACK', 'INACT_ACK', 'INACT_ACK'],
  acknowledge: manual.acknowledge,
} satisfies Record<string, Row>;

for (const event of alarmOperations) {
  test(`AL-1: ${event} leads where the table says`, () => {
    for (const ackMode of ['manual', undefined]) {
      assert.deepEqual(
        states.map((state) => nextState(state, event, ackMode)),
        manual[event],
      );
    }
  });

  test(`AL-2: ${event} of an alarm that acknowledges itself leaves nothing to acknowledge`, () => {
    assert.deepEqual(
      states.map((state) => nextState(state, event, 'auto')),
      auto[event],
    );
  });
}

test('an alarm is active in the two states that say so', () => {
  assert.deepEqual(states.map(isActive), [false, true, true, false]);
});
