// Admits a limited number at once: in total, per client and per connection. The others queue. Clients take turns, and
// within a client its connections: a client with many queries delays itself. A full queue refuses more.
import { onAbort, ProblemError } from '@telltale/schema/values';

export interface TurnstileLimits {
  /** At once. */
  readonly inside: number;
  readonly insideOfConnection: number;
  readonly queued: number;
  readonly queuedOfConnection: number;
}

/** The client. Several may look alike, such as all of one machine: so a connection has limits of its own. */
export interface Visitor {
  /** By its identity, else its address. */
  readonly client?: unknown;
  readonly connection?: unknown;
}

/** Of all slots, those that one client may take: another one always finds some. */
const shareOfClient = 3 / 4;

interface Connection {
  inside: number;
  /** The first one first. */
  readonly queued: (() => void)[];
}

interface Client {
  inside: number;
  queued: number;
  /** Those with anybody inside or queued; whose turn is next first. */
  readonly connections: Map<unknown, Connection>;
}

export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #insideOfClient: number;
  readonly #queuedOfClient: number;
  readonly #what: string;
  /** Those with a connection; whose turn is next first. */
  readonly #clients = new Map<unknown, Client>();
  #inside = 0;
  #queued = 0;
  #refused = 0;

  /** `what` is for whom is refused: such as imports. */
  constructor(limits: TurnstileLimits, what: string) {
    this.#limits = limits;
    this.#insideOfClient = Math.ceil(limits.inside * shareOfClient);
    this.#queuedOfClient = Math.ceil(limits.queued * shareOfClient);
    this.#what = what;
  }

  get inside(): number {
    return this.#inside;
  }

  get queued(): number {
    return this.#queued;
  }

  /** How many were too many to wait. */
  get refused(): number {
    return this.#refused;
  }

  /** Resolves with how to leave. Rejects with `overloaded` where too many wait, and with the signal's reason. */
  async enter(visitor: Visitor, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const client = this.#clients.get(visitor.client) ?? { inside: 0, queued: 0, connections: new Map() };
    const connection = client.connections.get(visitor.connection) ?? { inside: 0, queued: [] };
    const hasRoom = this.#hasRoomFor(client, connection);
    if (!hasRoom) this.#refuseTooMany(client, connection);
    this.#clients.set(visitor.client, client);
    client.connections.set(visitor.connection, connection);
    if (hasRoom) this.#admit(client, connection);
    else await this.#wait(visitor, client, connection, signal);
    let isInside = true;
    const leave = () => {
      if (isInside) this.#leave(visitor, client, connection);
      isInside = false;
    };
    if (signal?.aborted) leave(); // by the same event that made room for it
    signal?.throwIfAborted();
    return leave;
  }

  #hasRoomFor(client: Client, connection: Connection): boolean {
    const { inside, insideOfConnection } = this.#limits;
    return this.#inside < inside && client.inside < this.#insideOfClient && connection.inside < insideOfConnection;
  }

  #refuseTooMany(client: Client, connection: Connection): void {
    const { queued, queuedOfConnection } = this.#limits;
    const isRoom = this.#queued < queued && client.queued < this.#queuedOfClient;
    if (isRoom && connection.queued.length < queuedOfConnection) return;
    this.#refused++;
    throw new ProblemError('overloaded', `Too many ${this.#what} wait.`);
  }

  #admit(client: Client, connection: Connection): void {
    connection.inside++;
    client.inside++;
    this.#inside++;
  }

  #wait(visitor: Visitor, client: Client, connection: Connection, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const letIn = () => {
      stopListening();
      resolve();
    };
    const stopListening = onAbort(signal, (reason) => {
      connection.queued.splice(connection.queued.indexOf(letIn), 1);
      client.queued--;
      this.#queued--;
      this.#forget(visitor, client, connection);
      reject(reason);
    });
    connection.queued.push(letIn);
    client.queued++;
    this.#queued++;
    return promise;
  }

  #leave(visitor: Visitor, client: Client, connection: Connection): void {
    connection.inside--;
    client.inside--;
    this.#inside--;
    this.#forget(visitor, client, connection);
    for (const [key, next] of this.#clients) {
      if (next.queued === 0 || !this.#letNextIn(next)) continue;
      putLast(this.#clients, key, next);
      return;
    }
  }

  /** False where each connection that waits has all inside that it may, or the client has. */
  #letNextIn(client: Client): boolean {
    for (const [key, next] of client.connections) {
      if (next.queued.length === 0 || !this.#hasRoomFor(client, next)) continue;
      putLast(client.connections, key, next);
      client.queued--;
      this.#queued--;
      this.#admit(client, next);
      next.queued.shift()?.();
      return true;
    }
    return false;
  }

  #forget(visitor: Visitor, { connections }: Client, { inside, queued }: Connection): void {
    if (inside > 0 || queued.length > 0) return;
    connections.delete(visitor.connection);
    if (connections.size === 0) this.#clients.delete(visitor.client);
  }
}

function putLast<Item>(items: Map<unknown, Item>, key: unknown, item: Item): void {
  items.delete(key);
  items.set(key, item);
}
