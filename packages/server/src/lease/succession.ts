// When a node that does not lead may act: it decides by what it has read of the leader's key, and by when it read that by its own
// monotonic clock. It asks nobody and writes nothing.
import type { Leader, Leadership, Released } from './leader-key.ts';
import { type LeaseTimes, patienceFor } from './lease-times.ts';

export type Step =
  /** For so long at most: then look again, or at any news. */
  | { readonly kind: 'wait'; readonly forMs: number }
  /** The leader has not renewed its lease for so long that it has none. */
  | { readonly kind: 'expire'; readonly leader: Leader }
  | { readonly kind: 'create'; readonly released: Released | undefined }
  /** The key is of this process, which did not hear that it succeeded. */
  | { readonly kind: 'adopt'; readonly leader: Leader };

export class Succession {
  readonly #times: LeaseTimes;
  readonly #node: string;
  readonly #instance: string;
  #seen = '';
  #seenMs = 0;
  #answeringSinceMs: number | undefined;

  constructor(times: LeaseTimes, { node, instance }: { readonly node: string; readonly instance: string }) {
    this.#times = times;
    [this.#node, this.#instance] = [node, instance];
  }

  /** etcd has not answered: what was waited for begins again where it must have been able to be renewed. */
  unanswered(): void {
    this.#answeringSinceMs = undefined;
  }

  /** After an answer that came at `nowMs`: what it says was so before. Whether it is news. */
  read({ leader, released }: Leadership, nowMs: number): boolean {
    this.#answeringSinceMs ??= nowMs;
    const seen = leader ? `leader ${leader.modRevision}` : released ? `released ${released.modRevision}` : 'nothing';
    if (seen === this.#seen) return false;
    this.#seen = seen;
    this.#seenMs = nowMs;
    return true;
  }

  /** What to do about what was read last. */
  next({ leader, released }: Leadership, nowMs: number): Step {
    const seenForMs = nowMs - this.#seenMs;
    if (leader !== undefined) {
      if (leader.instance === this.#instance) return { kind: 'adopt', leader };
      const steadyForMs = nowMs - (this.#answeringSinceMs ?? nowMs);
      const leftMs = Math.max(patienceFor(leader.ttlMs) - seenForMs, this.#times.steadyMs - steadyForMs);
      return leftMs <= 0 ? { kind: 'expire', leader } : { kind: 'wait', forMs: leftMs };
    }
    const isFree = released !== undefined && (released.to === undefined || released.to === this.#node);
    // Where neither is there, nobody has led yet, or somebody has removed the key of one who does not know that yet.
    const leftMs = isFree ? 0 : (released === undefined ? this.#times.patienceMs : this.#times.reservedMs) - seenForMs;
    return leftMs <= 0 ? { kind: 'create', released } : { kind: 'wait', forMs: leftMs };
  }
}
