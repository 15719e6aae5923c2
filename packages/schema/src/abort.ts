// Adds and removes abort listeners. A waiter removes its listener when the wait is over, so that a long-lived signal
// collects no listeners.
import type { Clock } from './clock.ts';

/** Calls once with the reason when the signal is aborted, at once where it is already. The returned function ends that. */
export function onAbort(signal: AbortSignal | undefined, call: (reason: unknown) => void): () => void {
  const listener = () => call(signal?.reason);
  if (signal?.aborted) listener();
  else signal?.addEventListener('abort', listener, { once: true });
  return () => signal?.removeEventListener('abort', listener);
}

/** Settles as the work does, or with undefined as soon as the signal is aborted; without work, when it is aborted. */
export async function untilAborted<T = void>(signal: AbortSignal, work?: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stopListening = onAbort(signal, () => resolve(undefined));
  try {
    return await (work === undefined ? promise : Promise.race([promise, work]));
  } finally {
    stopListening();
  }
}

/** Settles as the work does, or rejects with the signal's reason as soon as it is aborted. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stopListening = onAbort(signal, reject);
  try {
    return await Promise.race([promise, work]);
  } finally {
    stopListening();
  }
}

/** Resolves after so long, or as soon as the signal is aborted. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  await untilAborted(signal, promise);
  cancel();
}
