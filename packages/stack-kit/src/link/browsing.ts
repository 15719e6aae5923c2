// Asks a stack what its device has to offer, bounded in time and in number.
import type { Clock } from '@telltale/schema';
import type { BrowseAnswer, BrowseRequest, StackLog } from '../connector.ts';
import { callStack } from './call-stack.ts';
import { readBrowseAnswer } from './stack-answers.ts';
import { isThrown, reasonOf } from './stack-error.ts';

export type BrowseOutcome =
  | { readonly kind: 'answered'; readonly answer: BrowseAnswer }
  | { readonly kind: 'unsupported' | 'late' | 'tooMany' }
  | { readonly kind: 'refused' | 'notConnected'; readonly reason: string };

interface Browsable {
  browse?(request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer>;
}

export const browseMs = 30_000;
/** Of one connector, until the stack has settled them. */
const maxAtOnce = 4;

export class Browsing {
  readonly #clock: Clock;
  readonly #log: StackLog;
  #atOnce = 0;

  constructor(clock: Clock, log: StackLog) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Never rejects. `link` is aborted when the link ends, `asker` when the answer is no longer needed. */
  async browse(
    stack: Browsable,
    request: BrowseRequest,
    link: AbortSignal,
    asker: AbortSignal,
  ): Promise<BrowseOutcome> {
    if (typeof stack.browse !== 'function') return { kind: 'unsupported' };
    if (this.#atOnce >= maxAtOnce) return { kind: 'tooMany' };
    const late = new AbortController();
    const cancel = this.#clock.after(browseMs, () => late.abort());
    const settled = () => void this.#atOnce--;
    const call = (signal: AbortSignal) => {
      this.#atOnce++;
      const running = Promise.try(() => stack.browse?.(request, signal));
      running.then(settled, settled);
      return running;
    };
    try {
      const answer = await callStack({
        call,
        clock: this.#clock,
        signal: AbortSignal.any([link, asker, late.signal]),
        limitMs: undefined,
        graceMs: 0,
        onUnanswered: () => undefined,
      });
      return { kind: 'answered', answer: readBrowseAnswer(answer, request.limit) };
    } catch (error) {
      if (late.signal.aborted) return { kind: 'late' };
      const reason = reasonOf(error);
      if (link.aborted || isThrown('NotConnected', error) || isThrown('BackOff', error)) {
        return { kind: 'notConnected', reason };
      }
      if (!isThrown('Refused', error) && !asker.aborted) this.#log.warn(`browse failed: ${reason}`);
      return { kind: 'refused', reason };
    } finally {
      cancel();
    }
  }
}
