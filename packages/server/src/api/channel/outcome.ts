// The outcome of a request of the channel.
import type { ItemResult } from '@telltale/schema';
import type { Gathered, Lease } from '../../points/index.ts';

/** Gathered bytes, or lent ones, or what is both. */
export type AnswerBytes = Lease | (Gathered & { release?(): void });

/** What an answer has besides `request_id` and `result`: texts and bytes of JSON, by field. */
export interface Outcome {
  readonly more?: Readonly<Record<string, string | AnswerBytes>>;
  /** Of a batch: what became of each item. */
  readonly results?: readonly ItemResult[];
  /** Done when the answer has been sent. */
  readonly afterwards?: () => Promise<void> | undefined;
}
