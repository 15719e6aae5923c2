// The options of a connection: how its stack is created, its points, and its callbacks.
import type { Batch, Clock, Value } from '@telltale/schema';
import type { Connector, DeviceAlarm, DeviceAlarmState, StackCommand, StackLog } from '../connector.ts';
import type { Provider, StackAlarm } from '../provider.ts';

/** What connectors and providers have in common, and what only one of them has. */
export type Linked = Pick<Connector & Provider, 'setPoints' | 'connect' | 'run' | 'close'> &
  Partial<Omit<Connector & Provider, 'setAlarms'>> & {
    /** Of the kind that its role has. */
    setAlarms?(alarms: readonly (StackAlarm | DeviceAlarm)[]): void;
  };

export interface ConnectionOptions {
  /** Loads the stack's code and makes it; rejects where it cannot work. Called again where one is late or given up. */
  readonly create: (
    publish: (batch: Batch) => void,
    publishAlarms: (states: readonly DeviceAlarmState[]) => void,
  ) => Promise<Linked>;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly log: StackLog;
  readonly writeTimeoutMs: number;
  /** The longest pause between two tries to connect; asked for after each. */
  readonly reconnectMaxMs: () => number;
  readonly isMeasurement: (id: number) => boolean;
  readonly command: (id: number) => StackCommand | undefined;
  /** Of a connector. */
  readonly alarm?: (id: number) => DeviceAlarm | undefined;
  readonly onAccepted: (command: StackCommand, value: Value) => void;
  /** Whether writes and acknowledgements may be sent now; without it they may. */
  readonly mayWrite?: () => boolean;
  /** Takes the batch; returns how many readings were passed over. Only while the link is up. */
  readonly onReadings: (batch: Batch) => number;
  /** On each change between up and not up, and when the first attempt has failed. */
  readonly onLink: (up: boolean, reason: string, timeUs: number) => void;
  /** What alarms of devices have become, bounded; only while the link is up. */
  readonly onAlarms?: (states: readonly DeviceAlarmState[]) => void;
  readonly onState: () => void;
}
