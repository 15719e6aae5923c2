// One call of a stack's own code, bounded: it may throw at once, throw anything, come late, or never settle.
import { type Clock, onAbort } from '@telltale/schema';
import { NotConnected } from '../connector.ts';

export interface StackCall {
  readonly call: (signal: AbortSignal) => Promise<unknown>;
  readonly clock: Clock;
  /** Aborted where the call is no longer wanted; its reason is what the call then rejects with. */
  readonly signal: AbortSignal;
  /** After this long the call is aborted; undefined where it may go on. */
  readonly limitMs: number | undefined;
  /** An aborted call that has not settled after this long is not waited for any more. */
  readonly graceMs: number;
  /** It is not waited for any more; `running` may still settle, or never. */
  readonly onUnanswered: (running: Promise<unknown>) => void;
}

/** Resolves or rejects within limit and grace. A call that was aborted rejects, whatever it settles with. */
export function callStack({ call, clock, signal, limitMs, graceMs, onUnanswered }: StackCall): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const controller = new AbortController();
  const running = Promise.try(() => call(controller.signal));
  let cancel = () => {};
  const abort = (reason: unknown) => {
    if (controller.signal.aborted) return; // what is waited for now is its end
    cancel();
    controller.abort(reason);
    cancel = clock.after(graceMs, () => {
      stopListening();
      onUnanswered(running);
      reject(reason);
    });
  };
  const stopListening = onAbort(signal, abort);
  if (limitMs !== undefined) {
    cancel = clock.after(limitMs, () => abort(new NotConnected(`no answer within ${limitMs} ms`)));
  }
  const settled = (settle: () => void) => {
    cancel();
    stopListening();
    if (controller.signal.aborted) reject(controller.signal.reason);
    else settle();
  };
  running.then(
    (result) => settled(() => resolve(result)),
    (error) => settled(() => reject(error)),
  );
  return promise;
}
