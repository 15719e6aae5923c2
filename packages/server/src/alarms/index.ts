// Live alarms: the state machine, triggers with hysteresis and delays, operations of people, and what is read of them.

export type { AlarmCounts } from './alarm-counts.ts';
export type { AlarmStore, StoredAlarm } from './alarm-store.ts';
export { type AlarmListener, Alarms } from './alarms.ts';
export { delayMsOf } from './triggers.ts';
