// What carries out one kind of request, and what comes of it.
import type { ChannelRequestFields, ChannelRequestName, ItemResult } from '@telltale/schema';
import type { Gathered, Lease } from '../../points/index.ts';
import type { ChannelClient } from './channel-client.ts';

/** Takes the fields of a request, checked against its schema. */
export type Handler<N extends ChannelRequestName> = (
  client: ChannelClient,
  fields: ChannelRequestFields<N>,
) => Promise<Outcome> | Outcome;

export type Handlers = { readonly [N in ChannelRequestName]: Handler<N> };

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
