// What people ask of the connectors of one thread beside writing: how a reading came about, what a device offers. Every
// question is answered in time, or is a `ProblemError` that says why not.
import { type Clock, onAbort, ProblemError } from '@telltale/schema';
import type { BrowseAnswer, BrowseRequest, ReadingTrace } from '@telltale/stack-kit';
import { type BrowseOutcome, browseMs } from '@telltale/stack-kit/host';
import type { Hosted } from './hosted.ts';
import { OpenQuestions } from './open-questions.ts';
import type { ExplainOutcome, ToThread } from './protocol.ts';

const explainMs = 2000;
/** The thread keeps the time by itself; beyond it, it is the thread that does not answer. */
const browseGraceMs = 2000;

export class ConnectorQuestions {
  readonly #explains = new OpenQuestions<ExplainOutcome | { readonly kind: 'late' }>();
  readonly #browses = new OpenQuestions<BrowseOutcome>();
  readonly #clock: Clock;
  readonly #post: (message: ToThread) => boolean;

  constructor(clock: Clock, post: (message: ToThread) => boolean) {
    this.#clock = clock;
    this.#post = post;
  }

  async explain(hosted: Hosted, measurementId: number): Promise<ReadingTrace | undefined> {
    const { id, name } = hosted;
    const asked = this.#explains.ask((question) => this.#post({ kind: 'explain', id, question, measurementId }));
    if (asked === undefined) throw threadDown(hosted);
    const late = () => this.#explains.answer(asked.question, { kind: 'late' });
    const takeBack = this.#clock.after(explainMs, late);
    const outcome = await asked.outcome;
    takeBack();
    switch (outcome.kind) {
      case 'explained':
        return outcome.trace;
      case 'late':
        throw new ProblemError('device-timeout', `Connector ${name} has not answered within ${explainMs} ms.`);
      case 'failed':
        throw new ProblemError('device-refused', `Connector ${name} could not explain it: ${outcome.reason}.`);
      case 'ended':
        throw new ProblemError('connector-down', `Connector ${name}: ${outcome.reason}.`);
    }
  }

  async browse(hosted: Hosted, request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    signal.throwIfAborted();
    const { id } = hosted;
    const asked = this.#browses.ask((question) => this.#post({ kind: 'browse', id, question, request }));
    if (asked === undefined) throw threadDown(hosted);
    const { question } = asked;
    const giveUp = () => {
      this.#post({ kind: 'abort', question });
      this.#browses.answer(question, { kind: 'late' });
    };
    const stopListening = onAbort(signal, giveUp);
    const takeBack = this.#clock.after(browseMs + browseGraceMs, giveUp);
    const outcome = await asked.outcome;
    takeBack();
    stopListening();
    signal.throwIfAborted();
    if (outcome.kind === 'answered') return outcome.answer;
    throw browseProblem(hosted, outcome);
  }

  explained(question: number, outcome: ExplainOutcome): void {
    this.#explains.answer(question, outcome);
  }

  browsed(question: number, outcome: BrowseOutcome): void {
    this.#browses.answer(question, outcome);
  }

  endAll(reason: string): void {
    this.#explains.endAll(reason);
    this.#browses.endAll(reason);
  }
}

function threadDown({ name, lastError = 'its thread is starting' }: Hosted): ProblemError {
  return new ProblemError('connector-down', `Connector ${name} is not connected: ${lastError}.`);
}

function browseProblem(
  { name, instance }: Hosted,
  outcome: Exclude<BrowseOutcome, { kind: 'answered' }> | { kind: 'ended'; reason: string },
): ProblemError {
  switch (outcome.kind) {
    case 'unsupported':
      return new ProblemError('not-supported', `The stack ${instance.stackName} of connector ${name} has no browsing.`);
    case 'tooMany':
      return new ProblemError('too-many-requests', `Connector ${name} is being browsed several times already.`);
    case 'late':
      return new ProblemError('device-timeout', `Connector ${name} has not answered within ${browseMs} ms.`);
    case 'refused':
      return new ProblemError('device-refused', `Connector ${name} could not be browsed: ${outcome.reason}.`);
    case 'notConnected':
    case 'ended':
      return new ProblemError('connector-down', `Connector ${name} is not connected: ${outcome.reason}.`);
  }
}
