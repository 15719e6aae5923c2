// The writes over one link of a connector: each is handed to the stack at most once, one at a time for a command, and
// has its outcome within its time limit. A new link begins with none.
import type { Clock, Value } from '@telltale/schema';
import { type CommandWrite, NoAnswer, type StackCommand, type StackLog } from '../connector.ts';
import { notPermitted } from '../write-result.ts';
import { readWriteResult } from './stack-answers.ts';
import { isThrown, reasonOf } from './stack-error.ts';

export type WriteOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing was sent: there is no link, or the command is another one now. */
  | { readonly kind: 'notConnected' | 'superseded'; readonly reason: string }
  /** There is no clear answer. `sent`: the stack has it and the device may have taken it. */
  | { readonly kind: 'timeout'; readonly sent: boolean; readonly reason: string };

export interface DeviceWrite {
  readonly commandId: number;
  readonly value: Value;
  /** Called once, when the stack is about to get it; false: whoever asked for it has given it up, and it is not sent. */
  readonly claim?: () => boolean;
}

export interface LinkWritesOptions {
  readonly clock: Clock;
  readonly log: StackLog;
  readonly command: (id: number) => StackCommand | undefined;
  /** Settles with what the stack says or throws, whatever that is. */
  readonly hand: (command: StackCommand, value: Value, signal: AbortSignal) => Promise<unknown>;
  /** Several at once; undefined where the stack takes them one by one only. */
  readonly handMany: ((writes: readonly CommandWrite[], signal: AbortSignal) => Promise<unknown>) | undefined;
  readonly onAccepted: (command: StackCommand, value: Value) => void;
  readonly mayWrite?: (() => boolean) | undefined;
}

/** Of one connector, until the stack has settled them. */
export const maxPendingWrites = 1000;
/** An aborted write that the stack does not settle holds up the next of its command no longer than this. */
const graceMs = 2000;

interface Job extends DeviceWrite {
  readonly endMs: number;
  /** Shared by those that were handed over together, which have the same time limit. */
  controller: AbortController;
  readonly settle: (outcome: WriteOutcome) => void;
  cancel: () => void;
  isHanded: boolean;
  isSettled: boolean;
}

const expired: WriteOutcome = { kind: 'timeout', sent: false, reason: 'its timeout had expired' };
/** Nothing was sent: another node of the site may write by now. */
export const unpermitted: WriteOutcome = { kind: 'notConnected', reason: notPermitted };
const gone: WriteOutcome = { kind: 'superseded', reason: 'the configuration of the command has changed' };

export class LinkWrites {
  readonly #options: LinkWritesOptions;
  /** By command; the first of each is with the stack. */
  readonly #queues = new Map<number, Job[]>();
  #held = 0;
  #lost: string | undefined;

  constructor(options: LinkWritesOptions) {
    this.#options = options;
  }

  /** Whether the stack has one that it has not settled. */
  get hasUnanswered(): boolean {
    return this.#queues.values().some(([first]) => first?.isHanded === true);
  }

  /** Those that need not wait for an earlier one of their command are handed over together. */
  write(writes: readonly DeviceWrite[], limitMs: number): Promise<WriteOutcome>[] {
    const ready: Job[] = [];
    const outcomes = writes.map((write) => this.#take(write, limitMs, ready));
    if (ready.length > 1 && this.#options.handMany !== undefined) this.#handMany(ready);
    else for (const job of ready) this.#hand(job);
    return outcomes;
  }

  #take(write: DeviceWrite, limitMs: number, ready: Job[]): Promise<WriteOutcome> {
    if (this.#lost !== undefined) return Promise.resolve({ kind: 'notConnected', reason: this.#lost });
    if (this.#held >= maxPendingWrites) {
      const reason = `${maxPendingWrites} writes are waiting for their answers already`;
      return Promise.resolve({ kind: 'refused', reason });
    }
    if (limitMs <= 0) return Promise.resolve(expired);
    const { clock } = this.#options;
    const { commandId } = write;
    const { promise, resolve } = Promise.withResolvers<WriteOutcome>();
    const job: Job = {
      ...write,
      endMs: clock.monotonicMs() + limitMs,
      controller: new AbortController(),
      isHanded: false,
      isSettled: false,
      cancel: clock.after(limitMs, () => this.#late(job)),
      settle(outcome) {
        if (this.isSettled) return;
        this.isSettled = true;
        this.cancel();
        resolve(outcome);
      },
    };
    this.#held++;
    const queue = this.#queues.get(commandId);
    if (queue !== undefined) queue.push(job);
    else {
      this.#queues.set(commandId, [job]);
      ready.push(job);
    }
    return promise;
  }

  /** The link is gone: what waits is not sent; what the stack has is aborted and may still be answered. */
  lost(reason: string): void {
    this.#lost = reason;
    for (const [commandId, [first, ...others]] of this.#queues) {
      for (const job of others) this.#drop(job, { kind: 'notConnected', reason });
      if (first === undefined) continue;
      this.#queues.set(commandId, [first]);
      first.controller.abort(new NoAnswer(reason)); // never what would say that nothing was sent
    }
  }

  /** The stack has closed the link: what it has not answered by now stays unanswered. */
  closed(): void {
    for (const [job] of this.#queues.values()) {
      job?.settle(this.#cutOff());
      job?.cancel();
    }
  }

  /** Others are configured: what waits for one that is gone is not sent. */
  commandsChanged(): void {
    for (const [commandId, queue] of this.#queues) {
      if (this.#options.command(commandId) === undefined) for (const job of queue.splice(1)) this.#drop(job, gone);
    }
  }

  #late(job: Job): void {
    if (!job.isHanded) {
      const queue = this.#queues.get(job.commandId);
      queue?.splice(queue.indexOf(job), 1);
      this.#drop(job, { kind: 'timeout', sent: false, reason: 'it timed out behind an earlier write of this command' });
      return;
    }
    job.settle({ kind: 'timeout', sent: true, reason: 'no answer' });
    job.controller.abort(new NoAnswer('the write timed out'));
    job.cancel = this.#options.clock.after(graceMs, () => {
      this.#options.log.error('an aborted write has not ended: it is abandoned');
      this.#next(job);
    });
  }

  #drop(job: Job, outcome: WriteOutcome): void {
    this.#held--;
    job.settle(outcome);
  }

  /**
   * What is sent to the device; undefined where its command is gone, or its time is over: in a thread that was busy, before
   * its timer could say so. That is its end.
   */
  #writeOf(job: Job): CommandWrite | undefined {
    const command = this.#options.command(job.commandId);
    const isInTime = this.#options.clock.monotonicMs() < job.endMs;
    const isPermitted = this.#options.mayWrite?.() !== false;
    if (command !== undefined && isInTime && isPermitted && job.claim?.() !== false) {
      job.isHanded = true;
      return { command, value: job.value };
    }
    this.#drop(job, command === undefined ? gone : isPermitted ? expired : unpermitted);
    this.#next(job);
    return undefined;
  }

  async #hand(job: Job): Promise<void> {
    const write = this.#writeOf(job);
    if (write === undefined) return;
    const { signal } = job.controller;
    let outcome: WriteOutcome;
    try {
      outcome = outcomeOf(await this.#options.hand(write.command, write.value, signal));
    } catch (error) {
      outcome = this.#failureOf(error, signal);
    }
    this.#end(job, write, outcome);
  }

  async #handMany(ready: readonly Job[]): Promise<void> {
    const controller = new AbortController();
    const handed = ready.flatMap((job) => {
      const write = this.#writeOf(job);
      if (write === undefined) return [];
      job.controller = controller;
      return [{ job, write }];
    });
    let outcomes: WriteOutcome[];
    try {
      const writes = handed.map(({ write }) => write);
      const results = await this.#options.handMany?.(writes, controller.signal);
      outcomes = handed.map((_, at) => outcomeOf(Array.isArray(results) ? results[at] : undefined));
    } catch (error) {
      outcomes = handed.map(() => this.#failureOf(error, controller.signal));
    }
    for (const [at, { job, write }] of handed.entries()) this.#end(job, write, outcomes[at] as WriteOutcome);
  }

  /** The stack has settled it. */
  #end(job: Job, { command, value }: CommandWrite, outcome: WriteOutcome): void {
    if (outcome.kind === 'accepted' && !job.isSettled) this.#options.onAccepted(command, value);
    job.cancel();
    this.#drop(job, outcome);
    this.#next(job);
  }

  #failureOf(error: unknown, { aborted, reason }: AbortSignal): WriteOutcome {
    return aborted && error === reason ? this.#cutOff() : failureOf(error);
  }

  #cutOff(): WriteOutcome {
    return { kind: 'timeout', sent: true, reason: `the link was lost before an answer: ${this.#lost}` };
  }

  /** Once for each job: the next of its command is handed over. */
  #next(job: Job): void {
    const queue = this.#queues.get(job.commandId);
    if (queue?.[0] !== job) return;
    queue.shift();
    if (queue[0] === undefined) this.#queues.delete(job.commandId);
    else this.#hand(queue[0]);
  }
}

/** Only what a stack says in so many words is certain: of anything else the device may have it. */
export function outcomeOf(given: unknown): WriteOutcome {
  const result = readWriteResult(given);
  switch (result?.kind) {
    case 'accepted':
    case 'refused':
      return result;
    case 'notSent':
      return { kind: 'notConnected', reason: result.reason };
    case 'unknown':
      return { kind: 'timeout', sent: true, reason: result.reason };
    default:
      return { kind: 'timeout', sent: true, reason: 'the stack does not say how it ended' };
  }
}

/** Whatever was thrown: also what would be a refusal elsewhere. */
export function failureOf(error: unknown): WriteOutcome {
  const reason = reasonOf(error);
  return { kind: 'timeout', sent: true, reason: isThrown('NoAnswer', error) ? reason : `the stack failed: ${reason}` };
}
