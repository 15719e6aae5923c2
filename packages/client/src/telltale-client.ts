// The client as a whole: where the service is, and its parts. Runs wherever there is `fetch` and `WebSocket`.
import type { AreaCounts, Clock } from '@telltale/schema';
import { systemClock } from '@telltale/schema/values';
import { AccessManagement } from './access-management.ts';
import { Approvals } from './approvals.ts';
import { ArchiveAccess } from './archive-access.ts';
import { AuditAccess } from './audit.ts';
import { BusManagement } from './bus-management.ts';
import { Certificates } from './certificates.ts';
import { Channel, type ChannelOptions } from './channel.ts';
import { ConfigurationAccess } from './configuration-access.ts';
import type { WebSocketConstructor } from './connection.ts';
import type { Credential } from './credential.ts';
import {
  Alarms,
  Commands,
  Connectors,
  FunctionModules,
  Measurements,
  Pictures,
  Providers,
  Trends,
} from './data-access.ts';
import { OperationCalls } from './operation-calls.ts';
import { Secrets } from './secrets.ts';
import { ServiceAccess } from './service-access.ts';
import { Sites } from './sites.ts';
import { type AskOptions, Transport } from './transport.ts';

export interface TelltaleClientOptions {
  /** Where the service is; the addresses below follow from it. */
  readonly url?: string;
  /** Of the data-access interface; `/data/` where not given. */
  readonly base?: string;
  /** Of the configuration interface; `/config/v2/` where not given. */
  readonly configBase?: string;
  /** Of the channel; `ws` under `base` where not given. */
  readonly wsUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly WebSocket?: WebSocketConstructor;
  /**
   * Says who asks, on HTTP and on the channel: a token, or what gives the present one. A channel with a token needs a
   * WebSocket that takes headers: that of Node and of the package `ws` does, that of browsers does not; a page of the
   * service has the cookie of `access.signIn`, and needs none.
   */
  readonly token?: Credential | undefined;
  /** After so long a request without an answer is given up; 30 s where not given. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

export const defaultUrl = 'http://127.0.0.1:8080/';
const defaultTimeoutMs = 30_000;

export class TelltaleClient {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;
  /** How they are, and what their devices have. */
  readonly connectors: Connectors;
  readonly providers: Providers;
  /** Of connectors and providers: own, trusted, issuers and rejected. */
  readonly certificates: Certificates;
  readonly secrets: Secrets;
  readonly functionModules: FunctionModules;
  /** Process pictures and named trends, as they run. */
  readonly pictures: Pictures;
  readonly trends: Trends;
  /** What must be signed, and what waits for a second person. */
  readonly approvals: Approvals;
  /** The history of measurements, commands and alarms. */
  readonly archive: ArchiveAccess;
  readonly configuration: ConfigurationAccess;
  /** Signing in, users, roles, tokens and sessions. */
  readonly access: AccessManagement;
  /** Who did what. */
  readonly audit: AuditAccess;
  /** Of a centre: which servers may connect to its bus. */
  readonly bus: BusManagement;
  /** Readiness, version and metrics of the service. */
  readonly service: ServiceAccess;
  /** Of a centre. Below `/sites/SITE/` each has all of the above, for a client of its own. */
  readonly sites: Sites;
  readonly wsUrl: string;
  readonly #data: OperationCalls;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #webSocket: WebSocketConstructor | undefined;
  readonly #token: Credential | undefined;

  /** Throws a TypeError if an address is invalid. */
  constructor(options: TelltaleClientOptions = {}) {
    const { fetch = globalThis.fetch.bind(globalThis), timeoutMs = defaultTimeoutMs, clock = systemClock } = options;
    const { token } = options;
    const url = folder(options.url ?? defaultUrl);
    const base = folder(options.base ?? new URL('data/', url));
    const configBase = folder(options.configBase ?? new URL('config/v2/', url));
    const transport = (address: URL) => new Transport({ base: address.href, fetch, token, timeoutMs, clock });
    const data = transport(base);
    this.#data = new OperationCalls(data);
    this.measurements = new Measurements(data);
    this.commands = new Commands(data);
    this.alarms = new Alarms(data);
    this.connectors = new Connectors(data);
    this.providers = new Providers(data);
    this.certificates = new Certificates(data);
    this.functionModules = new FunctionModules(data);
    this.pictures = new Pictures(data);
    this.trends = new Trends(data);
    this.approvals = new Approvals(data);
    this.archive = new ArchiveAccess(data);
    this.configuration = new ConfigurationAccess(transport(configBase));
    this.secrets = new Secrets(transport(configBase));
    this.access = new AccessManagement(transport(url));
    this.audit = new AuditAccess(transport(url));
    this.bus = new BusManagement(transport(url));
    this.service = new ServiceAccess(transport(url), data);
    this.sites = new Sites(transport(url));
    this.wsUrl = socketAddress(options.wsUrl ?? new URL('ws', base));
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#webSocket = options.WebSocket;
    this.#token = token;
  }

  /** By path, what is in each area and below it; the empty path is the whole plant. It has no prototype. */
  areas({ signal }: AskOptions = {}): Promise<Record<string, AreaCounts>> {
    return this.#data.collection('listAreas', {}, { signal });
  }

  /** A channel of its own, which connects at once and stays until it is closed. */
  channel(options: Partial<ChannelOptions> = {}): Channel {
    return new Channel({
      url: this.wsUrl,
      timeoutMs: this.#timeoutMs,
      clock: this.#clock,
      token: this.#token,
      whyRefused: () => this.access.refusal(),
      ...(this.#webSocket !== undefined && { WebSocket: this.#webSocket }),
      ...options,
    });
  }
}

/** What follows an address is found below it, with or without a slash at its end. */
function folder(address: string | URL): URL {
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`${url.href} is not an address of http or https`);
  }
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function socketAddress(address: string | URL): string {
  const href = new URL(address).href.replace(/^http/, 'ws');
  if (!/^wss?:/.test(href)) throw new TypeError(`${href} is not an address of ws or wss`);
  return href;
}
