// Values, their qualities and times, batches of them, what can go wrong, and JSON: all that needs no schema.
export * from './abort.ts';
export * from './batch.ts';
export * from './clock.ts';
export * from './datatype.ts';
export * from './open-calls.ts';
export * from './parse-json.ts';
export * from './problem.ts';
export * from './quality.ts';
export * from './semaphore.ts';
export * from './stored-value.ts';
export * from './timestamp.ts';
export * from './value.ts';
export { formatDouble, isFitText, maxNumberLength, maxTextBytes, type Value, ValueError } from './value-text.ts';
