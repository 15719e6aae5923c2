// The states of an alarm and what leads from one to another. Pure: who caused it, and when, is the caller's.
import type { AlarmOperation, AlarmState } from '@telltale/schema';

type Table = Readonly<Record<AlarmOperation, Readonly<Record<AlarmState, AlarmState>>>>;

const always = (state: AlarmState) => ({ INACT_ACK: state, ACT_UNACK: state, ACT_ACK: state, INACT_UNACK: state });

const acknowledge = {
  INACT_ACK: 'INACT_ACK',
  ACT_UNACK: 'ACT_ACK',
  ACT_ACK: 'ACT_ACK',
  INACT_UNACK: 'INACT_ACK',
} as const;

const manual: Table = {
  activate: { INACT_ACK: 'ACT_UNACK', ACT_UNACK: 'ACT_UNACK', ACT_ACK: 'ACT_ACK', INACT_UNACK: 'ACT_UNACK' },
  deactivate: { INACT_ACK: 'INACT_ACK', ACT_UNACK: 'INACT_UNACK', ACT_ACK: 'INACT_ACK', INACT_UNACK: 'INACT_UNACK' },
  acknowledge,
};

const auto: Table = { activate: always('ACT_ACK'), deactivate: always('INACT_ACK'), acknowledge };

/** The same state where the event changes nothing. */
export function nextState(state: AlarmState, event: AlarmOperation, ackMode: string | undefined): AlarmState {
  return (ackMode === 'auto' ? auto : manual)[event][state];
}

/** Of an alarm that a device raises: the state that it reports. With `auto`, nobody here has to acknowledge it. */
export function reportedState(active: boolean, acknowledged: boolean, ackMode: string | undefined): AlarmState {
  const isAcknowledged = acknowledged || ackMode === 'auto';
  if (active) return isAcknowledged ? 'ACT_ACK' : 'ACT_UNACK';
  return isAcknowledged ? 'INACT_ACK' : 'INACT_UNACK';
}

export function isAcknowledged(state: AlarmState): boolean {
  return state === 'ACT_ACK' || state === 'INACT_ACK';
}

export function isActive(state: AlarmState): boolean {
  return state === 'ACT_UNACK' || state === 'ACT_ACK';
}
