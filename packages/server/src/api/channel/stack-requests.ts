// Questions about connectors, providers and readings over the channel: what HTTP answers, as fields of an answer.
import { type BrowseRequest, type ChannelRequestFields, ProblemError } from '@telltale/schema';
import type { StackAccess } from '../../operations/index.ts';
import type { Role } from '../../stacks/index.ts';
import type { ChannelClient } from './channel-client.ts';

/** Texts of JSON, by field. */
type Answer = Readonly<Record<string, string>>;

export class StackRequests {
  readonly #access: StackAccess | undefined;

  constructor(stacks: StackAccess | undefined) {
    this.#access = stacks;
  }

  read(role: Role, { names, fields }: ChannelRequestFields<'ReadConnectors' | 'ReadProviders'>): Answer {
    return { [`${role}s`]: this.#stacks.read(role, { names, fields }) };
  }

  async explain({ name }: ChannelRequestFields<'ExplainMeasurement'>): Promise<Answer> {
    return { explanation: JSON.stringify(await this.#stacks.explain(name)) };
  }

  /** A client that goes away ends it. */
  async browse(client: ChannelClient, fields: ChannelRequestFields<'BrowseConnector'>): Promise<Answer> {
    const { name, path, cursor, limit } = fields;
    const request: BrowseRequest = {
      ...(path !== undefined && { path }),
      ...(cursor !== undefined && { cursor }),
      ...(limit !== undefined && { limit }),
    };
    const found = await this.#stacks.browse(name, request, client.gone());
    return { items: JSON.stringify(found.items), cursor: JSON.stringify(found.cursor) };
  }

  get #stacks(): StackAccess {
    if (this.#access !== undefined) return this.#access;
    throw new ProblemError('starting', 'There are no connectors yet.');
  }
}
