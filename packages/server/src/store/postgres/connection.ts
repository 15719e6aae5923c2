// One connection to PostgreSQL. It ends when an answer takes too long: whoever waits is told, and a network that is gone is noticed.
import { Socket } from 'node:net';
import { type Clock, onAbort } from '@telltale/schema/values';
import type { Client, QueryResultRow } from 'pg';
import { StoreError } from '../store-error.ts';
import { hostText, type PostgresAddress, type PostgresHost } from './address.ts';
import { type BackendKey, requestCancel } from './cancel-request.ts';
import { CopyIn } from './copy-in.ts';
import { CopyOut } from './copy-out.ts';
import { type ErrorPlace, explained } from './explain-error.ts';
import { passwordIn } from './password-file.ts';
import type { Security } from './tls-of-address.ts';

export interface ConnectionOptions {
  readonly address: PostgresAddress;
  readonly host: PostgresHost;
  readonly security: Security;
  readonly clock: Clock;
  /** Nothing takes longer than this. */
  readonly limitMs: number;
}

/** As it is now. */
export interface ServerState {
  readonly major: number;
  readonly version: string;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

export interface Result<Row> {
  readonly rows: readonly Row[];
  readonly count: number;
}

/** What is prepared once in a connection has a name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Of the server, before ours: what takes longer than our limit would go on there. */
const serverShare = 0.75;
const int8 = 20;
const int8s = 1016;

export class Connection {
  readonly place: ErrorPlace;
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #host: PostgresHost;
  readonly #clock: Clock;
  readonly #limitMs: number;
  #ended: StoreError | undefined;
  /** Called once, with the reason. */
  onEnd: ((reason: StoreError) => void) | undefined;

  /** Rejects with a `StoreError`. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { default: pg } = await import('pg');
    const { address, host, security } = options;
    const { user, database } = address;
    const place = { at: hostText(host), user, database };
    const socket = new Socket();
    try {
      const client = new pg.Client({
        ...host,
        user,
        database,
        password: passwordOf(address, host),
        ssl: security,
        stream: () => socket,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        application_name: 'telltale',
        types: { getTypeParser: (type, format) => numbers.get(type) ?? pg.types.getTypeParser(type, format as 'text') },
      });
      const connection = new Connection(client, socket, place, options);
      await connection.#within(client.connect());
      return connection;
    } catch (error) {
      socket.destroy();
      throw explained(error, place);
    }
  }

  private constructor(client: Client, socket: Socket, place: ErrorPlace, { host, clock, limitMs }: ConnectionOptions) {
    this.#client = client;
    this.#socket = socket;
    this.place = place;
    this.#host = host;
    this.#clock = clock;
    this.#limitMs = limitMs;
    client.on('error', (error) => this.#end(explained(error, place)));
    client.on('end', () => this.#end(new StoreError('unreachable', `the store at ${place.at} ended the connection`)));
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  /** Rejects with a `StoreError`. */
  async query<Row extends QueryResultRow>(
    statement: string | Statement,
    values: readonly unknown[] = [],
  ): Promise<Result<Row>> {
    const config = typeof statement === 'string' ? { text: statement } : statement;
    // Without values several statements may be in one text.
    const asked = this.#client.query<Row>(values.length === 0 ? config : { ...config, values: [...values] });
    const { rows, rowCount } = await this.within(asked);
    return { rows, count: rowCount ?? 0 };
  }

  /**
   * What each COPY … TO STDOUT in a text gives; other statements may be among them. Rejects with a `StoreError`, or, when the server
   * has ended it for the signal, with the reason of that.
   */
  async copyOut(text: string, signal?: AbortSignal): Promise<Buffer[]> {
    signal?.throwIfAborted();
    const copy = new CopyOut(text);
    let cancelled: Promise<void> | undefined;
    const stopListening = onAbort(signal, () => {
      cancelled = requestCancel(this.#host, this.#client as unknown as BackendKey);
    });
    this.#client.query(copy);
    try {
      return await this.within(copy.done);
    } finally {
      stopListening();
      // Else it may end what comes next.
      if (cancelled !== undefined) await this.within(cancelled).catch(() => {});
      signal?.throwIfAborted();
    }
  }

  /** What COPY … FROM STDIN takes; answers how many rows it took. Rejects with a `StoreError`. */
  async copyIn(text: string, bytes: Uint8Array): Promise<number> {
    const copy = new CopyIn(text, bytes);
    this.#client.query(copy);
    return this.within(copy.done);
  }

  /** Commits what was done, or undoes it and rejects with what went wrong. */
  async transaction<T>(work: () => Promise<T>, begin = 'begin'): Promise<T> {
    await this.query(begin);
    let result: T;
    try {
      result = await work();
    } catch (error) {
      if (this.isOpen) await this.query('rollback').catch((failed) => this.#end(failed as StoreError));
      throw error;
    }
    await this.query('commit');
    return result;
  }

  /** What the server is asked before anything else: limits that hold in this connection, and what it is. */
  async begin(): Promise<ServerState> {
    const serverMs = Math.floor(this.#limitMs * serverShare);
    const { rows } = await this.query<ServerState>(
      `select set_config('statement_timeout', $1, false), set_config('lock_timeout', $1, false),
        set_config('idle_in_transaction_session_timeout', $2, false), set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
        set_config('tcp_keepalives_count', '3', false), set_config('timezone', 'UTC', false),
        case when current_setting('synchronous_commit') in ('off', 'local') then set_config('synchronous_commit', 'on', false) end,
        current_setting('server_version_num')::integer / 10000 as major, current_setting('server_version') as version,
        pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
      [String(serverMs), String(this.#limitMs)],
    );
    return rows[0] as ServerState;
  }

  /** Waits for what this connection does, but not longer than the limit. Rejects with a `StoreError`. */
  async within<T>(done: Promise<T>): Promise<T> {
    try {
      return await this.#within(done);
    } catch (error) {
      // Why it ended says more than that it did.
      throw this.#ended ?? explained(error, this.place);
    }
  }

  close(): void {
    this.#end(new StoreError('unreachable', `the connection to the store at ${this.place.at} was closed`));
  }

  /** Those who wait for something get the reason. */
  #end(reason: StoreError): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#client.end().catch(() => {});
    this.#socket.destroySoon();
    if (reason.trouble === 'silent') this.#socket.destroy();
    this.onEnd?.(reason);
  }

  async #within<T>(done: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.after(this.#limitMs, () => {
      const seconds = Math.round(this.#limitMs / 1000);
      const reason = `the store at ${this.place.at} has not answered for ${seconds} s: check the network and, if it has standbys that commits wait for, those`;
      this.#end(new StoreError('silent', reason));
      reject(this.#ended);
    });
    try {
      return await Promise.race([done, promise]);
    } finally {
      cancel();
    }
  }
}

/** Whole numbers are below 2^53 in all of our tables. */
const numbers = new Map<number, (text: string) => unknown>([
  [int8, Number],
  [int8s, (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number))],
]);

function passwordOf(
  { password, passwordFile, database, user }: PostgresAddress,
  host: PostgresHost,
): string | undefined {
  if (password !== undefined || passwordFile === undefined) return password;
  return passwordIn(passwordFile, { ...host, database, user });
}
