// The messages of two sides over a port: calls with their answers, progress and aborts, and notifications, without
// answers. Each side is described by its methods. worker-link.ts owns start and end.
import type { Transferable } from 'node:worker_threads';
import { type CallOptions, OpenCalls, ProblemError } from '@telltale/schema/values';

/** How messages travel. Each arrives once, in order, or the other side is gone. */
export interface Port {
  post(message: unknown, transfer: Transferable[]): void;
  onMessage(receive: (message: unknown) => void): void;
}

type Name<Methods> = keyof Methods & string;
type Arguments<Method> = Method extends (...args: infer Args) => unknown ? Args : never;
type Result<Method> = Method extends (...args: never[]) => infer R ? Awaited<R> : never;

/** What carries out the methods of this side. Each gets the arguments of the call, and then the call itself. */
export type Handlers<Methods> = {
  readonly [M in keyof Methods]: (...args: [...Arguments<Methods[M]>, call: RunningCall]) => Answer<Result<Methods[M]>>;
};
type Answer<R> = R | Moved<R> | Promise<R | Moved<R>>;

/** A result with memory that is transferred to the other side, not copied. */
export class Moved<R> {
  readonly result: R;
  readonly transfer: Transferable[];

  constructor(result: R, transfer: Transferable[]) {
    this.result = result;
    this.transfer = transfer;
  }
}

/** A call on the side that answers it; one of a notification is never aborted, and its progress goes nowhere. */
export class RunningCall {
  readonly report: (progress: unknown) => void;
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  constructor(report: (progress: unknown) => void) {
    this.report = report;
  }

  /** Aborted when the caller has abandoned it. Most calls are short, and never use it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

type Message =
  /** `id` is 0 for a notification. */
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'progress'; readonly id: number; readonly progress: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | ({ readonly kind: 'problem'; readonly id: number } & SentProblem)
  /** A mistake of the program, with the stack trace of where it was made. */
  | { readonly kind: 'failure'; readonly id: number; readonly error: unknown };

interface SentProblem {
  readonly problem: ProblemError['problem'];
  readonly detail: string;
  readonly errors: ProblemError['errors'];
}

export interface LinkCallOptions<Progress = never> extends CallOptions<Progress> {
  /** Memory in the arguments that is transferred, not copied. */
  readonly transfer?: Transferable[];
}

export class Link<Remote extends object, Local extends object = Record<never, never>> {
  readonly #port: Port;
  readonly #handlers: Handlers<Local>;
  readonly #calls = new OpenCalls();
  /** Those of the other side that are not answered yet. */
  readonly #running = new Map<number, RunningCall>();
  #end: Error | undefined;

  constructor(port: Port, handlers: Handlers<Local>) {
    this.#port = port;
    this.#handlers = handlers;
    port.onMessage((message) => this.#receive(message as Message));
  }

  get pending(): number {
    return this.#calls.size;
  }

  /** False where the other side is gone. */
  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /**
   * Resolves with the answer of the other side. Rejects with the `ProblemError` that it throws, with the error by which it
   * ended, or where the signal or the limit gives it up: then the other side has the signal of its call aborted.
   */
  call<M extends Name<Remote>, Progress = never>(
    method: M,
    args: Arguments<Remote[M]>,
    { transfer = [], ...options }: LinkCallOptions<Progress> = {},
  ): Promise<Result<Remote[M]>> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const send = (id: number) => this.#post({ kind: 'call', id, method, args }, transfer);
    return this.#calls.open(send, options, (id) => this.#post({ kind: 'abort', id }));
  }

  /** For what needs no answer. False where the other side is gone. */
  notify<M extends Name<Remote>>(method: M, args: Arguments<Remote[M]>, transfer: Transferable[] = []): boolean {
    if (this.#end !== undefined) return false;
    this.#post({ kind: 'call', id: 0, method, args }, transfer);
    return true;
  }

  /** The other side is gone: calls reject with this error from now on, those that are open as well. */
  end(error: Error): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    this.#calls.endAll(error);
    for (const call of [...this.#running.values()]) call.abort(error);
  }

  #post(message: Message, transfer: Transferable[] = []): void {
    this.#port.post(message, transfer);
  }

  /** Other messages are of a library that uses the port as its own. */
  #receive(message: Message | null | undefined): void {
    switch (message?.kind) {
      case 'call':
        this.#carryOut(message);
        break;
      case 'abort':
        this.#running.get(message.id)?.abort(new Error('the caller no longer waits for the answer'));
        break;
      case 'progress':
        this.#calls.progress(message.id, message.progress);
        break;
      case 'answer':
        this.#calls.answer(message.id, message.result);
        break;
      case 'problem':
        this.#calls.fail(message.id, new ProblemError(message.problem, message.detail, message.errors));
        break;
      case 'failure':
        this.#calls.fail(message.id, message.error);
    }
  }

  #carryOut({ id, method, args }: Message & { kind: 'call' }): void {
    if (!Object.hasOwn(this.#handlers, method) || !Array.isArray(args)) return;
    const handler = this.#handlers[method as keyof Local] as (...args: unknown[]) => unknown;
    const call = new RunningCall((progress) => id > 0 && this.#post({ kind: 'progress', id, progress }));
    if (id === 0) handler(...args, call);
    else {
      this.#running.set(id, call);
      this.#answer(id, () => handler(...args, call));
    }
  }

  /** At once where the result is there: what the handler does next comes after its answer. */
  #answer(id: number, work: () => unknown): void {
    const failed = (error: unknown) => {
      this.#running.delete(id);
      if (error instanceof ProblemError) {
        const { problem, message: detail, errors } = error;
        this.#post({ kind: 'problem', id, problem, detail, errors });
      } else this.#post({ kind: 'failure', id, error });
    };
    const done = (result: unknown) => {
      this.#running.delete(id);
      try {
        if (result instanceof Moved) this.#post({ kind: 'answer', id, result: result.result }, result.transfer);
        else this.#post({ kind: 'answer', id, result });
      } catch (error) {
        failed(error); // what cannot be copied does not arrive
      }
    };
    try {
      const result = work();
      if (result instanceof Promise) result.then(done, failed);
      else done(result);
    } catch (error) {
      failed(error);
    }
  }
}
