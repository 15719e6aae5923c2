// What runs a connector or provider: for the host and for tests, not for stacks.
export { backOffMs, growingMs } from './back-off.ts';
export { type BrowseOutcome, browseMs } from './browsing.ts';
export { Connection } from './connection.ts';
export type { ConnectionOptions, Linked } from './connection-options.ts';
export type { Acknowledgement } from './link-alarms.ts';
export { type DeviceWrite, maxPendingWrites, type WriteOutcome } from './link-writes.ts';
export { NewestReadings } from './newest-readings.ts';
export { type RequestCounts, RequestMeter, type RoundTrip, zeroRequestCounts } from './request-meter.ts';
export { noDetail, readBrowseAnswer, readDetail, readTrace, type StackDetail } from './stack-answers.ts';
export { isThrown, reasonOf } from './stack-error.ts';
export { startProcess } from './stack-process.ts';
export * from './status.ts';
