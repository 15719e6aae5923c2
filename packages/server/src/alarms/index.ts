// Live alarms: the state machine, triggers with hysteresis and delays, operations of people, and what is read of them.
export type { AlarmStore, StoredAlarm } from './alarm-store.ts';
export { type AlarmCounts, type AlarmListener, Alarms } from './alarms.ts';
