// What users of the service see of the address space: what they may not see is not there, whatever a client asks for it.
import type { ProviderUser } from '@telltale/stack-kit';
import { makeNodeId, NodeId, StatusCodes } from 'node-opcua-client';
import type { ServedAlarms } from './served-alarms.ts';
import type { ServedSpace } from './served-space.ts';
import type { UaSession, UserSessions } from './user-sessions.ts';

export interface UserViewsOptions {
  readonly users: UserSessions;
  readonly space: ServedSpace;
  readonly alarms: ServedAlarms;
}

/** Of the library. */
export interface UaNode {
  readonly nodeId: NodeId;
  readonly parent?: UaNode | null;
}

interface Context {
  checkPermission(node: UaNode, permission: number): boolean;
  withRequestHeader(header: unknown): Context;
}

interface Message {
  readonly request: object & Record<string, unknown>;
  readonly session?: UaSession;
}

type Handler = (message: Message, channel: unknown) => unknown;

interface BrowsePathResult {
  statusCode: unknown;
  targets: { readonly targetId: NodeId }[] | null;
}

/** Undocumented parts of the library's server. */
type Server = Record<string, Handler> & {
  readonly engine: {
    readonly addressSpace: { findNode(nodeId: NodeId): UaNode | null };
    translateBrowsePath(path: object): Promise<BrowsePathResult>;
  };
  on(event: 'session_activated', listener: (session: UaSession) => void): unknown;
};

/** Where requests name nodes: what they list, and the fields of each. */
const requests: readonly (readonly [handler: string, list: string, ...fields: (readonly string[])[]])[] = [
  ['_on_ReadRequest', 'nodesToRead', ['nodeId']],
  ['_on_WriteRequest', 'nodesToWrite', ['nodeId']],
  ['_on_HistoryReadRequest', 'nodesToRead', ['nodeId']],
  ['_on_BrowseRequest', 'nodesToBrowse', ['nodeId']],
  ['_on_TranslateBrowsePathsToNodeIdsRequest', 'browsePaths', ['startingNode']],
  ['_on_CreateMonitoredItemsRequest', 'itemsToCreate', ['itemToMonitor', 'nodeId']],
  ['_on_CallRequest', 'methodsToCall', ['objectId'], ['methodId']],
  ['_on_RegisterNodesRequest', 'nodesToRegister', []],
];

/** No point is ever served at it. */
const nothing = '\u0000';

export class UserViews {
  readonly #options: UserViewsOptions;
  readonly #limited = new WeakSet<object>();
  /** Who has asked for a path. */
  readonly #askers = new WeakMap<object, ProviderUser>();

  constructor(options: UserViewsOptions) {
    this.#options = options;
  }

  install(server: object): void {
    const handlers = server as Server;
    const { engine } = handlers;
    for (const [handler, list, ...fields] of requests) {
      const handle = (handlers[handler] as Handler).bind(server);
      handlers[handler] = (message, channel) => {
        const user = this.#limitedUser(message.session);
        const listed = message.request[list];
        if (user !== undefined && Array.isArray(listed)) {
          for (let at = 0; at < listed.length; at++) {
            for (const path of fields) this.#hide(engine.addressSpace, user, listed, [String(at), ...path]);
            if (list === 'browsePaths') this.#askers.set(listed[at], user);
          }
        }
        return handle(message, channel);
      };
    }
    const translate = engine.translateBrowsePath.bind(engine);
    engine.translateBrowsePath = async (path) => {
      const result = await translate(path);
      const user = this.#askers.get(path);
      if (user === undefined) return result;
      const targets = result.targets?.filter(({ targetId }) => {
        const node = engine.addressSpace.findNode(targetId);
        return node === null || !this.isHidden(user, node);
      });
      const isNone = targets?.length === 0 && (result.targets?.length ?? 0) > 0;
      return Object.assign(result, isNone ? { targets: null, statusCode: StatusCodes.BadNoMatch } : { targets });
    };
    handlers.on('session_activated', (session) => this.#limit(session));
  }

  /** What a node is a part of decides: a variable, a condition, a folder. */
  isHidden(user: ProviderUser, node: UaNode): boolean {
    const { space, alarms } = this.#options;
    for (let at: UaNode | null | undefined = node; at; at = at.parent) {
      const sees = alarms.sees(user, at) ?? space.sees(user, at);
      if (sees !== undefined) return !sees;
    }
    return false;
  }

  /** Undefined of one that sees everything. */
  #limitedUser(session: object | undefined): ProviderUser | undefined {
    const user = this.#options.users.of(session);
    return user?.seesEverything === true ? undefined : user;
  }

  #hide(space: Server['engine']['addressSpace'], user: ProviderUser, from: object, path: readonly string[]): void {
    let holder = from as Record<string, unknown>;
    for (const key of path.slice(0, -1)) {
      const next = holder[key];
      if (typeof next !== 'object' || next === null) return;
      holder = next as Record<string, unknown>;
    }
    const key = path.at(-1) as string;
    const nodeId = holder[key];
    const node = nodeId instanceof NodeId ? space.findNode(nodeId) : null;
    if (node === null || !this.isHidden(user, node)) return;
    holder[key] = makeNodeId(nothing, node.nodeId.namespace);
  }

  /** What the library itself looks up: references of a node, events. */
  #limit(session: UaSession): void {
    if (this.#limited.has(session)) return;
    this.#limited.add(session);
    this.#limitContext(session.sessionContext as Context, session);
  }

  #limitContext(context: Context, session: UaSession): Context {
    const check = context.checkPermission.bind(context);
    const withHeader = context.withRequestHeader.bind(context);
    context.checkPermission = (node, permission) => {
      const user = this.#limitedUser(session);
      return (user === undefined || !this.isHidden(user, node)) && check(node, permission);
    };
    context.withRequestHeader = (header) => this.#limitContext(withHeader(header), session);
    return context;
  }
}
