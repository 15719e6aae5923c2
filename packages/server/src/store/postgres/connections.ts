// The connections to a PostgreSQL: as many as are in use at once, up to a limit, to the host that may do what is wanted.
import type { Clock } from '@telltale/schema';
import { StoreError } from '../store-error.ts';
import { hostText, type PostgresAddress, type PostgresHost, type SessionKind } from './address.ts';
import { Connection, type ServerState } from './connection.ts';
import { securitiesOf } from './tls-of-address.ts';

export interface ConnectionsOptions {
  readonly address: PostgresAddress;
  readonly clock: Clock;
  /** What the host has to do. */
  readonly session: SessionKind;
  readonly most: number;
  readonly limitMs?: number | undefined;
  /** Before a connection is used for the first time. */
  readonly prepare?: (connection: Connection) => Promise<void>;
}

const usualLimitMs = 20_000;
const oldestServer = 15;

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  readonly #waiting: (() => void)[] = [];
  #inUse = 0;
  #isClosed = false;
  /** The host that was the right one last. */
  #first = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Waits while all are in use. Rejects with a `StoreError` where no host can be reached, or with what `work` does. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    while (this.#inUse >= this.#options.most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inUse++;
    try {
      const connection = this.#idle.pop() ?? (await this.#open());
      try {
        return await work(connection);
      } catch (error) {
        this.#judge(connection, error);
        throw error;
      } finally {
        if (connection.isOpen && !this.#isClosed) this.#idle.push(connection);
        else connection.close();
      }
    } finally {
      this.#inUse--;
      this.#waiting.shift()?.();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.close();
  }

  /** After some errors others would fail as well. */
  #judge(connection: Connection, error: unknown): void {
    if (!(error instanceof StoreError)) return;
    if (error.trouble === 'read-only') connection.close();
    if (error.trouble === 'read-only' || error.trouble === 'silent') {
      for (const idle of this.#idle.splice(0)) idle.close();
    }
  }

  async #open(): Promise<Connection> {
    const { hosts, database, user } = this.#options.address;
    const failures: StoreError[] = [];
    const kinds = this.#options.session === 'prefer-standby' ? (['standby', 'any'] as const) : [this.#options.session];
    for (const kind of kinds) {
      for (let tried = 0; tried < hosts.length; tried++) {
        const at = (this.#first + tried) % hosts.length;
        const host = hosts[at] as PostgresHost;
        try {
          const connection = await this.#openTo(host, kind);
          this.#first = at;
          return connection;
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          failures.push(error);
        }
      }
    }
    if (failures.length === 1) throw failures[0];
    const said = [...new Set(failures.map(({ message }) => message))].join('; ');
    const worst = failures.find(({ trouble }) => trouble !== 'unreachable' && trouble !== 'read-only') ?? failures[0];
    throw new StoreError(
      worst?.trouble ?? 'unreachable',
      `none of the hosts of the store ${database} lets ${user} in: ${said}`,
      worst,
    );
  }

  async #openTo(host: PostgresHost, kind: SessionKind): Promise<Connection> {
    const connection = await this.#secured(host);
    try {
      const state = await connection.begin();
      if (state.major < oldestServer) {
        throw new StoreError(
          'version',
          `the store at ${hostText(host)} has PostgreSQL ${state.version}: it needs ${oldestServer} or newer`,
        );
      }
      const reason = unfitFor(kind, state);
      if (reason !== undefined) throw new StoreError('read-only', `the store at ${hostText(host)} ${reason}`);
      await this.#options.prepare?.(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#all.add(connection);
    connection.onEnd = () => {
      this.#all.delete(connection);
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
    };
    return connection;
  }

  async #secured(host: PostgresHost): Promise<Connection> {
    const { address, clock, limitMs = usualLimitMs } = this.#options;
    const securities = securitiesOf(address);
    for (const [at, security] of securities.entries()) {
      try {
        return await Connection.open({ address, host, security, clock, limitMs });
      } catch (error) {
        const { trouble } = error as StoreError;
        const isLast = at === securities.length - 1;
        if (isLast || !(trouble === 'tls' || trouble === 'credentials')) throw error;
      }
    }
    throw new StoreError('tls', `no way to secure a connection to ${hostText(host)}`);
  }
}

/** Undefined: it is the one that is wanted. */
function unfitFor(kind: SessionKind, { isStandby, isReadOnly }: ServerState): string | undefined {
  if (kind === 'read-write' && isStandby)
    return 'only reads: it is a standby; name the one that leads in the address as well';
  if (kind === 'read-write' && isReadOnly)
    return 'only reads: its default_transaction_read_only is on; turn it off for this user';
  if (kind === 'primary' && isStandby) return 'is a standby';
  if (kind === 'standby' && !isStandby) return 'is no standby';
  if (kind === 'read-only' && !isStandby && !isReadOnly) return 'writes as well';
  return undefined;
}
