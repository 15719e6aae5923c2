// Lets so many in at once, in all and of each client. The others wait, and clients take turns: one that asks for much
// waits for itself. What is too much to wait is refused.
import { ProblemError } from '@telltale/schema/values';

export interface TurnstileLimits {
  /** At once. */
  readonly inside: number;
  readonly insideOfClient: number;
  readonly waiting: number;
  readonly waitingOfClient: number;
}

interface Client {
  inside: number;
  /** The first one first. */
  readonly waiting: (() => void)[];
}

export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #what: string;
  /** Those with anybody inside or waiting; whose turn is next first. */
  readonly #clients = new Map<unknown, Client>();
  #inside = 0;
  #waiting = 0;
  #refused = 0;

  /** `what` is for whom is refused: such as imports. */
  constructor(limits: TurnstileLimits, what: string) {
    this.#limits = limits;
    this.#what = what;
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How many were too many to wait. */
  get refused(): number {
    return this.#refused;
  }

  /** Resolves with how to leave. Rejects with `overloaded` where too many wait, and with the signal's reason. */
  async enter(key: unknown, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const client = this.#clients.get(key) ?? { inside: 0, waiting: [] };
    const hasRoom = this.#hasRoomFor(client);
    if (!hasRoom) this.#refuseTooMany(client);
    this.#clients.set(key, client);
    if (hasRoom) this.#admit(client);
    else await this.#wait(key, client, signal);
    let isInside = true;
    return () => {
      if (isInside) this.#leave(key, client);
      isInside = false;
    };
  }

  #hasRoomFor({ inside }: Client): boolean {
    return this.#inside < this.#limits.inside && inside < this.#limits.insideOfClient;
  }

  #refuseTooMany({ waiting }: Client): void {
    if (this.#waiting < this.#limits.waiting && waiting.length < this.#limits.waitingOfClient) return;
    this.#refused++;
    throw new ProblemError('overloaded', `Too many ${this.#what} wait.`);
  }

  #admit(client: Client): void {
    client.inside++;
    this.#inside++;
  }

  #wait(key: unknown, client: Client, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const letIn = () => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      client.waiting.splice(client.waiting.indexOf(letIn), 1);
      this.#waiting--;
      this.#forget(key, client);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    client.waiting.push(letIn);
    this.#waiting++;
    return promise;
  }

  #leave(key: unknown, client: Client): void {
    client.inside--;
    this.#inside--;
    this.#forget(key, client);
    for (const [nextKey, next] of this.#clients) {
      if (next.waiting.length === 0 || !this.#hasRoomFor(next)) continue;
      // Behind all others.
      this.#clients.delete(nextKey);
      this.#clients.set(nextKey, next);
      this.#waiting--;
      this.#admit(next);
      next.waiting.shift()?.();
      return;
    }
  }

  #forget(key: unknown, { inside, waiting }: Client): void {
    if (inside === 0 && waiting.length === 0) this.#clients.delete(key);
  }
}
