// What people ask of the connectors of one thread beside writing: how a reading came about, what a device offers, that an
// alarm is acknowledged. Every question is answered in time, or is a `ProblemError` that says why not.
import { type Clock, ProblemError, systemClock } from '@telltale/schema';
import type { BrowseAnswer, BrowseRequest, ReadingTrace } from '@telltale/stack-kit';
import { type BrowseOutcome, browseMs } from '@telltale/stack-kit/host';
import type { Link } from '../threads/index.ts';
import type { Hosted } from './hosted.ts';
import type { HostThread } from './protocol.ts';
import { acknowledgeProblem, MaybeWritten } from './write-problem.ts';

const explainMs = 2000;
/** The thread has its own timeout; beyond it, the thread itself does not answer. */
const browseGraceMs = 2000;
/** Of the thread, until they are answered. */
const maxAcknowledging = 1000;

export class ConnectorQuestions {
  readonly #clock: Clock;
  readonly #thread: () => Link<HostThread> | undefined;
  /** As long as a write, however busy the thread is. */
  readonly #acknowledgeMsOf: (hosted: Hosted) => number;
  #acknowledging = 0;

  constructor(clock: Clock, thread: () => Link<HostThread> | undefined, acknowledgeMsOf: (hosted: Hosted) => number) {
    this.#clock = clock;
    this.#thread = thread;
    this.#acknowledgeMsOf = acknowledgeMsOf;
  }

  async explain(hosted: Hosted, measurementId: number): Promise<ReadingTrace | undefined> {
    const thread = this.#thread();
    if (thread === undefined) throw notConnected(hosted);
    const limit = { clock: this.#clock, ms: explainMs, error: () => late(hosted, explainMs) };
    const outcome = await thread.call('explain', [hosted.id, measurementId], { limit }).catch((error) => {
      throw error instanceof ProblemError
        ? error
        : new ProblemError('connector-down', `Connector ${hosted.name}: ${error.message}.`);
    });
    if (outcome.kind === 'explained') return outcome.trace;
    throw new ProblemError('device-refused', `Connector ${hosted.name} could not explain it: ${outcome.reason}.`);
  }

  async acknowledge(hosted: Hosted, alarmId: number, authority: string): Promise<void> {
    const thread = this.#thread();
    if (thread === undefined) throw notConnected(hosted);
    if (this.#acknowledging >= maxAcknowledging) {
      throw new ProblemError(
        'too-many-requests',
        `${maxAcknowledging} acknowledgements wait for their answers already.`,
      );
    }
    const askedMs = systemClock.monotonicMs();
    const limit = {
      clock: this.#clock,
      ms: this.#acknowledgeMsOf(hosted),
      error: () => maybeAcknowledged(`Connector ${hosted.name} has not answered.`),
    };
    this.#acknowledging++;
    const outcome = await thread
      .call('acknowledge', [hosted.id, { alarmId, authority, askedMs }], { limit })
      .catch((error) => {
        if (error instanceof ProblemError) throw error;
        throw maybeAcknowledged(`Connector ${hosted.name}: ${error.message}.`);
      })
      .finally(() => this.#acknowledging--);
    if (outcome.kind !== 'accepted') throw acknowledgeProblem(hosted.name, outcome);
  }

  async browse(hosted: Hosted, request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    signal.throwIfAborted();
    const thread = this.#thread();
    if (thread === undefined) throw notConnected(hosted);
    const limit = { clock: this.#clock, ms: browseMs + browseGraceMs, error: () => late(hosted, browseMs) };
    const outcome = await thread.call('browse', [hosted.id, request], { signal, limit }).catch((error) => {
      throw signal.aborted || error instanceof ProblemError ? error : notConnected(hosted, error.message);
    });
    if (outcome.kind === 'answered') return outcome.answer;
    throw browseProblem(hosted, outcome);
  }
}

function late({ name }: Hosted, ms: number): ProblemError {
  return new ProblemError('device-timeout', `Connector ${name} has not answered within ${ms} ms.`);
}

function notConnected({ name, lastError }: Hosted, reason = lastError ?? 'its thread is starting'): ProblemError {
  return new ProblemError('connector-down', `Connector ${name} is not connected: ${reason}.`);
}

function maybeAcknowledged(detail: string): ProblemError {
  return new MaybeWritten('acknowledge-timeout', detail);
}

function browseProblem(hosted: Hosted, outcome: Exclude<BrowseOutcome, { kind: 'answered' }>): ProblemError {
  const { name, instance } = hosted;
  switch (outcome.kind) {
    case 'unsupported':
      return new ProblemError('not-supported', `The stack ${instance.stackName} of connector ${name} has no browsing.`);
    case 'tooMany':
      return new ProblemError('too-many-requests', `Connector ${name} is being browsed several times already.`);
    case 'late':
      return late(hosted, browseMs);
    case 'refused':
      return new ProblemError('device-refused', `Connector ${name} could not be browsed: ${outcome.reason}.`);
    case 'notConnected':
      return notConnected(hosted, outcome.reason);
  }
}
