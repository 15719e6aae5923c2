// What carries out one kind of request, and what comes of it.
import type { ItemResult } from '@telltale/schema';
import type { Gathered, Lease } from '../../points/index.ts';
import type { ChannelClient } from './channel-client.ts';

/** A request, checked against its schema. */
export type Request = Record<string, unknown>;

export type Handler = (client: ChannelClient, fields: Request) => Promise<Outcome> | Outcome;

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
