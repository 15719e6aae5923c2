// What a protocol stack is written against.
export { default as Type, type Static, type TObject } from 'typebox';
export * from './address-syntax.ts';
export * from './certificates/index.ts';
export * from './connector.ts';
export * from './define-stack.ts';
export * from './document-stack.ts';
export * from './entries.ts';
export * from './history.ts';
export * from './json-pointer.ts';
export * from './poll/allowed-clients.ts';
export * from './poll/coalesce.ts';
export * from './poll/poller.ts';
export * from './poll/poller-options.ts';
export * from './poll/scan-period.ts';
export * from './poll/source-times.ts';
export * from './served-points.ts';
export * from './variables.ts';
export * from './write-result.ts';
