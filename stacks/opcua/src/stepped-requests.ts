// Requests for many nodes, carried out a few nodes at a time: the library would do all of them in one go, and nobody else of the
// thread would have a turn for seconds.
import type { ServingTurns } from '@telltale/stack-kit';
import { ServiceFault, StatusCodes } from 'node-opcua-client';

type Request = object & Record<string, unknown>;

interface Response {
  readonly responseHeader: ServiceFault['responseHeader'];
  results?: Result[] | null;
}

interface Result {
  /** Of a browse. */
  readonly references?: readonly unknown[] | null;
}

interface Message {
  readonly request: Request;
}

/** What the library's services use of it. */
interface Channel {
  readonly aborted?: boolean;
  send_response(kind: 'MSG', response: Response, message: Message): unknown;
  abruptlyInterrupt(): void;
}

type Handler = (message: Message, channel: Channel) => unknown;

/** Undocumented parts of the library's server. */
type Server = Record<string, Handler> & {
  readonly engine: { readonly serverCapabilities: { readonly operationLimits: Readonly<Record<string, number>> } };
};

interface Service {
  /** That handles it in the library's server. */
  readonly handler: string;
  /** What its requests list. */
  readonly list: string;
  /** How many of these the library takes. */
  readonly limit: string;
  /** How many take a millisecond or two. A node may have very many references. */
  readonly atOnce: number;
}

const services: readonly Service[] = [
  { handler: '_on_ReadRequest', list: 'nodesToRead', limit: 'maxNodesPerRead', atOnce: 25 },
  { handler: '_on_WriteRequest', list: 'nodesToWrite', limit: 'maxNodesPerWrite', atOnce: 25 },
  { handler: '_on_BrowseRequest', list: 'nodesToBrowse', limit: 'maxNodesPerBrowse', atOnce: 5 },
  {
    handler: '_on_TranslateBrowsePathsToNodeIdsRequest',
    list: 'browsePaths',
    limit: 'maxNodesPerTranslateBrowsePathsToNodeIds',
    atOnce: 25,
  },
  { handler: '_on_CreateMonitoredItemsRequest', list: 'itemsToCreate', limit: 'maxMonitoredItemsPerCall', atOnce: 25 },
  { handler: '_on_ModifyMonitoredItemsRequest', list: 'itemsToModify', limit: 'maxMonitoredItemsPerCall', atOnce: 25 },
  {
    handler: '_on_DeleteMonitoredItemsRequest',
    list: 'monitoredItemIds',
    limit: 'maxMonitoredItemsPerCall',
    atOnce: 25,
  },
  { handler: '_on_SetMonitoringModeRequest', list: 'monitoredItemIds', limit: 'maxMonitoredItemsPerCall', atOnce: 25 },
];

/** In an answer for several nodes: the library would hold as many as there are, and encode them in one go. */
const maxReferences = 20_000;

export class SteppedRequests {
  readonly #turns: ServingTurns;
  #begun: Promise<void> | undefined;

  constructor(turns: ServingTurns) {
    this.#turns = turns;
  }

  install(server: object): void {
    const handlers = server as Server;
    const limits = handlers.engine.serverCapabilities.operationLimits;
    for (const service of services) {
      const { handler, list, limit, atOnce } = service;
      const handle = (handlers[handler] as Handler).bind(server);
      handlers[handler] = (message, channel) => {
        const { length } = (message.request[list] ?? []) as unknown[];
        if (length <= atOnce || length > (limits[limit] ?? 0)) return handle(message, channel);
        this.#begun = this.#carryOut(handle, service, message, channel).catch(() => channel.abruptlyInterrupt());
        return this.#begun;
      };
    }
  }

  /** Of a request that was handed to the library just now: until when it is carried out, where that takes steps. */
  takeBegun(): Promise<void> | undefined {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun;
  }

  async #carryOut(handle: Handler, { list, atOnce }: Service, message: Message, channel: Channel): Promise<void> {
    const nextTurn = this.#turns.pieces();
    const { request } = message;
    const all = request[list] as unknown[];
    const results: Result[] = [];
    let references = 0;
    for (let start = 0; ; start += atOnce) {
      await nextTurn();
      if (channel.aborted === true) return;
      const some = { [list]: all.slice(start, start + atOnce) };
      const piece = Object.assign(Object.create(Object.getPrototypeOf(request)), request, some);
      let response = await answerOf(handle, { ...message, request: piece }, channel);
      for (const each of response.results ?? []) {
        results.push(each);
        references += each.references?.length ?? 0;
      }
      if (references > maxReferences) response = tooLarge();
      const isGood = response.responseHeader.serviceResult.equals(StatusCodes.Good);
      if (isGood && start + atOnce < all.length) continue;
      await nextTurn();
      if (isGood) response.results = results;
      channel.send_response('MSG', response, message);
      return;
    }
  }
}

function tooLarge(): Response {
  return new ServiceFault({ responseHeader: { serviceResult: StatusCodes.BadResponseTooLarge } });
}

/** What the library answers. */
async function answerOf(handle: Handler, message: Message, channel: Channel): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const answered: Channel = {
    send_response: (_kind, response) => resolve(response),
    abruptlyInterrupt: () => {
      channel.abruptlyInterrupt();
      reject(new Error('it cannot be carried out'));
    },
  };
  await Promise.try(handle, message, answered);
  return promise;
}
