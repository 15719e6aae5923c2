// The provider: an exporter that Prometheus scrapes at /metrics. It only shows points; nothing is written through it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Batch, form, quality, untilAborted } from '@telltale/schema';
import {
  AllowedClients,
  type InstanceDetail,
  isLoopback,
  NotConnected,
  type Provider,
  type ProviderOptions,
  propertyOf,
  ServedClients,
  type StackPoint,
  type StackPoints,
  serveSocket,
} from '@telltale/stack-kit';
import { metricTypeOf, parseMetric } from './metric-address.ts';
import { contentTypes, escapeLabel, type Family, familyName, type Sample } from './metric-page.ts';
import { MetricPages } from './metric-pages.ts';
import { negotiate } from './negotiate.ts';
import type { ProviderVariables } from './provider-variables.ts';

export function createProvider(options: ProviderOptions<ProviderVariables>): Provider {
  return new MetricsProvider(options);
}

interface Client {
  /** It has shown that it may scrape. */
  isWelcome: boolean;
  /** Until its last request is answered and the answer is with the system. */
  busyUntil: Promise<void> | undefined;
}

interface Claims {
  /** By name and labels: the point that is served there. */
  readonly samples: Map<string, string>;
  /** By the name that OpenMetrics has for them: type and name of the samples. */
  readonly families: Map<string, string>;
}

class MetricsProvider implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  readonly #allowed: AllowedClients;
  #families = new Map<string, Family>();
  #samples = new Map<number, Sample>();
  readonly #pages: MetricPages;
  readonly #served: ServedClients;
  #server: Server | undefined;
  /** In the order of their last request. */
  readonly #clients = new Map<Socket, Client>();

  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
    const { token, allowedClients } = options.variables;
    this.#served = new ServedClients(options);
    this.#pages = new MetricPages(options.turns, options.variables, () => this.#families.values());
    this.#allowed =
      token !== '' && allowedClients.trim() === '' ? AllowedClients.everyone : AllowedClients.parse(allowedClients);
  }

  setPoints({ measurements, commands }: StackPoints): void {
    this.#families = new Map();
    this.#samples = new Map();
    this.#pages.changed();
    const { qualityMetric } = this.#options.variables;
    const claims: Claims = { samples: new Map(), families: new Map([[qualityMetric, qualityMetric]]) };
    for (const point of measurements) this.#addPoint(point, false, claims);
    for (const point of commands) this.#addPoint(point, true, claims);
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { host, port } = this.#options.variables;
    signal.throwIfAborted();
    const server = createServer({
      headersTimeout: 5000,
      requestTimeout: 10_000,
      keepAliveTimeout: 120_000,
      connectionsCheckingInterval: 1000,
    });
    server.setTimeout(150_000);
    server.on('connection', (socket) => this.#admit(socket));
    server.on('request', (request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error));
    });
    server.on('clientError', (_, socket) => socket.destroy());
    this.#server = server;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', (error) => reject(new NotConnected(error.message)));
    server.listen({ host, port }, () => {
      // It may have been given up while the name of the host was looked up.
      if (this.#server !== server) server.close();
      resolve();
    });
    await promise;
  }

  run(signal: AbortSignal): Promise<void> {
    const { promise, reject } = Promise.withResolvers<void>();
    const server = this.#server;
    if (server === undefined || signal.aborted) return Promise.resolve();
    const fail = (error: Error) => reject(new NotConnected(error.message));
    server.on('error', fail);
    return untilAborted(signal, promise);
  }

  publish(batch: Batch): void {
    this.#pages.changed();
    for (let at = 0; at < batch.count; at++) {
      const sample = this.#samples.get(batch.points[at] as number);
      if (sample === undefined) continue;
      if (batch.forms[at] !== form.none) sample.value = batch.valueAt(at);
      sample.quality = batch.qualities[at] as number;
      sample.timeUs = batch.times[at] as number;
      if (sample.isCommand && sample.timeUs === 0) sample.value = undefined;
    }
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (server.listening) server.close(() => resolve());
    else resolve();
    for (const socket of this.#clients.keys()) socket.destroy();
    await promise;
  }

  detail(): InstanceDetail {
    return { clients: this.#clients.size };
  }

  /** The first of several that claim the same is served. */
  #addPoint(point: StackPoint, isCommand: boolean, claims: Claims): void {
    const { log } = this.#options;
    const address = parseMetric(point.address);
    if (typeof address === 'string') {
      log.warn(`${point.name}: ${address}`);
      return;
    }
    const type = metricTypeOf(point);
    const sampleName = type === 'info' && !address.name.endsWith('_info') ? `${address.name}_info` : address.name;
    const labels = [...address.labels].map(([name, value]) => `${name}="${escapeLabel(value)}"`);
    const identity = JSON.stringify([sampleName, labels.toSorted()]);
    const name = familyName(sampleName, type);
    const other = claims.samples.get(identity);
    const owner = claims.families.get(name) ?? `${type} ${sampleName}`;
    if (other !== undefined || owner !== `${type} ${sampleName}`) {
      const why = other !== undefined ? `${other} is served there` : `${name} is another kind of metric already`;
      log.warn(`${point.name} is not exported at ${point.address}: ${why}`);
      return;
    }
    const family = this.#families.get(sampleName) ?? newFamily(sampleName, type, point);
    const { unitLabel } = this.#options.variables;
    const hasUnit = Boolean(point.eu) && unitLabel !== '' && !address.labels.has(unitLabel);
    const unit = hasUnit ? [`${unitLabel}="${escapeLabel(point.eu ?? '')}"`] : [];
    const sample: Sample = {
      labels: [...labels, ...unit].join(','),
      pointName: point.name,
      isCommand,
      datatype: point.datatype,
      value: undefined,
      quality: quality.bad.notConnected,
      timeUs: 0,
    };
    claims.samples.set(identity, point.name);
    claims.families.set(name, owner);
    family.samples.push(sample);
    this.#families.set(sampleName, family);
    this.#samples.set(point.id, sample);
  }

  #admit(socket: Socket): void {
    if (!this.#allowed.allows(socket.remoteAddress) || !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const client: Client = { isWelcome: false, busyUntil: undefined };
    this.#clients.set(socket, client);
    socket.once('close', () => this.#clients.delete(socket));
    serveSocket({ clients: this.#served, socket, cut: requestLength, busyUntil: () => client.busyUntil });
    // Without a listener of data, the parser reads past the socket.
    socket.on('data', () => {});
  }

  /** A full house lets go who says nothing, strangers first, so that they cannot keep others out. */
  #makeRoom(): boolean {
    if (this.#clients.size < this.#options.variables.maxClients) return true;
    const idle = [...this.#clients].filter(([, { busyUntil }]) => busyUntil === undefined);
    const [socket] = idle.find(([, { isWelcome }]) => !isWelcome) ?? idle[0] ?? [];
    if (socket === undefined) return false;
    this.#clients.delete(socket);
    socket.destroy();
    return true;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0];
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) refuse(response, ...refusal);
    else if (path !== '/metrics') refuse(response, 404, 'metrics are at /metrics');
    else {
      this.#serve(request.socket, response);
      const format = negotiate(request.headers.accept);
      const page = await this.#pages.get(format);
      response.writeHead(200, { 'content-type': contentTypes[format], 'content-length': page.length, vary: 'accept' });
      response.end(request.method === 'HEAD' ? undefined : page);
    }
  }

  #refusalOf({ method, headers }: IncomingMessage): Refusal | undefined {
    const { host, token } = this.#options.variables;
    if (method !== 'GET' && method !== 'HEAD') return [405, 'nothing is written here', { allow: 'GET, HEAD' }];
    if (token !== '') {
      const isRight = isBearer(headers.authorization, token);
      return isRight ? undefined : [401, 'a bearer token is wanted', { 'www-authenticate': 'Bearer' }];
    }
    // A web page in a browser of this machine may have its own name lead here.
    if (!isLoopback(host) || isLoopback(hostName(headers.host))) return undefined;
    return [403, 'ask for localhost or 127.0.0.1'];
  }

  #serve(socket: Socket, response: ServerResponse): void {
    const client = this.#clients.get(socket);
    if (client === undefined) return;
    this.#clients.delete(socket);
    this.#clients.set(socket, client);
    client.isWelcome = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    client.busyUntil = promise;
    response.once('close', () => {
      client.busyUntil = undefined;
      resolve();
    });
  }
}

/** What a point says of itself is not true of others with other labels. */
function newFamily(sampleName: string, type: Family['type'], point: StackPoint): Family {
  const own = point.address.includes('{') ? '' : (point.description ?? '');
  return { sampleName, type, help: propertyOf(point, 'help') ?? own, samples: [] };
}

type Refusal = [status: number, reason: string, headers?: Record<string, string>];

/** To the end of the first head: what is asked here has no body. Anything else is for the parser to judge. */
function requestLength(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  return end < 0 ? bytes.length : end + 4;
}

/** Whatever else the client sends is not read. */
function refuse(response: ServerResponse, ...[status, reason, headers = {}]: Refusal): void {
  response.writeHead(status, { ...headers, connection: 'close', 'content-type': 'text/plain' });
  response.end(`${reason}\n`);
}

/** Of a Host header, without the port. */
function hostName(host = ''): string {
  return host.replace(/:[0-9]+$/, '').replace(/^\[(.*)\]$/, '$1');
}

/** Takes as long for every wrong one. */
function isBearer(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, given = ''] = /^bearer +(\S+)$/i.exec(header ?? '') ?? [];
  return timingSafeEqual(digest(given), digest(token));
}
