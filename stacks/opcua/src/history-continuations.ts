// The continuation points of HistoryRead: some for each session, gone with it. Each serves once.
import { randomBytes } from 'node:crypto';
import type { ProcessedRequest } from './history-aggregates.ts';
import type { RawPlace, RawRequest } from './history-raw.ts';

/** Of one session. */
export const maxContinuations = 32;

/** What is left of a read. */
export type Continuation = { readonly node: string } & (
  | { readonly kind: 'raw'; readonly request: RawRequest; readonly place: RawPlace }
  | {
      readonly kind: 'processed';
      readonly request: ProcessedRequest;
      readonly aggregate: number;
      /** Intervals that were given. */
      readonly from: number;
    }
);

export class HistoryContinuations {
  readonly #bySession = new WeakMap<object, Map<string, Continuation>>();

  /** Undefined: the session has too many. */
  keep(session: object, continuation: Continuation): Buffer | undefined {
    const kept = this.#bySession.get(session) ?? new Map<string, Continuation>();
    this.#bySession.set(session, kept);
    if (kept.size >= maxContinuations) return undefined;
    const point = randomBytes(16);
    kept.set(point.toString('hex'), continuation);
    return point;
  }

  /** It is not there any more afterwards. Undefined where there is none of this node. */
  take(session: object, point: Buffer, node: string): Continuation | undefined {
    const kept = this.#bySession.get(session);
    const key = point.toString('hex');
    const found = kept?.get(key);
    if (found?.node !== node) return undefined;
    kept?.delete(key);
    return found;
  }
}
