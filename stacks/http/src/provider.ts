// The provider: an exporter that Prometheus scrapes at /metrics. It only shows points; nothing is written through it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Batch, form, quality } from '@telltale/schema';
import {
  AllowedClients,
  type InstanceDetail,
  NotConnected,
  type Provider,
  type ProviderOptions,
  type StackPoint,
  type StackPoints,
} from '@telltale/stack-kit';
import { metricTypeOf, parseMetric } from './metric-address.ts';
import {
  contentTypes,
  escapeLabel,
  type Family,
  familyName,
  metricPage,
  type PageFormat,
  type Sample,
} from './metric-page.ts';
import { negotiate } from './negotiate.ts';
import type { ProviderVariables } from './provider-variables.ts';

export function createProvider(options: ProviderOptions<ProviderVariables>): Provider {
  return new MetricsProvider(options);
}

/** What is taken already. */
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
  /** Made when it is asked for, good until something changes. */
  readonly #pages = new Map<PageFormat, string>();
  #server: Server | undefined;
  #sockets = new Set<Socket>();

  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
    const { token, allowedClients } = options.variables;
    this.#allowed =
      token !== '' && allowedClients.trim() === '' ? AllowedClients.everyone : AllowedClients.parse(allowedClients);
  }

  setPoints({ measurements, commands }: StackPoints): void {
    this.#families = new Map();
    this.#samples = new Map();
    this.#pages.clear();
    const { qualityMetric } = this.#options.variables;
    const claims: Claims = { samples: new Map(), families: new Map([[qualityMetric, qualityMetric]]) };
    for (const point of [...measurements, ...commands]) this.#addPoint(point, claims);
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { host, port, maxClients } = this.#options.variables;
    signal.throwIfAborted();
    const server = createServer({ headersTimeout: 5000, requestTimeout: 10_000, keepAliveTimeout: 120_000 });
    server.maxConnections = maxClients;
    server.maxRequestsPerSocket = 0;
    server.setTimeout(150_000);
    server.on('connection', (socket) => this.#admit(socket));
    server.on('request', (request, response) => this.#answer(request, response));
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
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const server = this.#server;
    if (server === undefined || signal.aborted) return Promise.resolve();
    const fail = (error: Error) => reject(new NotConnected(error.message));
    server.on('error', fail);
    signal.addEventListener('abort', () => resolve(), { once: true });
    return promise;
  }

  publish(batch: Batch): void {
    this.#pages.clear();
    for (let at = 0; at < batch.count; at++) {
      const sample = this.#samples.get(batch.points[at] as number);
      if (sample === undefined) continue;
      if (batch.forms[at] !== form.none) sample.value = batch.valueAt(at);
      sample.quality = batch.qualities[at] as number;
      sample.timeUs = batch.times[at] as number;
    }
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (server.listening) server.close(() => resolve());
    else resolve();
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  detail(): InstanceDetail {
    return { clients: this.#sockets.size };
  }

  /** The first of several that claim the same is served. */
  #addPoint(point: StackPoint, claims: Claims): void {
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
    const sample: Sample = {
      labels: labels.join(','),
      pointName: point.name,
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
    if (!this.#allowed.allows(socket.remoteAddress)) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { token } = this.#options.variables;
    const path = request.url?.split('?', 1)[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, 405, { allow: 'GET, HEAD' });
    } else if (token !== '' && !isBearer(request.headers.authorization, token)) {
      refuse(response, 401, { 'www-authenticate': 'Bearer' });
    } else if (path !== '/metrics') {
      refuse(response, 404, {});
    } else {
      const format = negotiate(request.headers.accept);
      const page = Buffer.from(this.#page(format));
      response.writeHead(200, { 'content-type': contentTypes[format], 'content-length': page.length, vary: 'accept' });
      response.end(request.method === 'HEAD' ? undefined : page);
    }
  }

  #page(format: PageFormat): string {
    const known = this.#pages.get(format);
    if (known !== undefined) return known;
    const page = metricPage(this.#families.values(), format, this.#options.variables);
    this.#pages.set(format, page);
    return page;
  }
}

function newFamily(sampleName: string, type: Family['type'], { properties }: StackPoint): Family {
  const help = Object.hasOwn(properties, 'help') ? (properties.help ?? '') : '';
  return { sampleName, type, help, samples: [] };
}

/** Whatever else the client sends is not read. */
function refuse(response: ServerResponse, status: number, headers: Record<string, string>): void {
  const hint = status === 404 ? 'metrics are at /metrics\n' : '';
  response.writeHead(status, { ...headers, connection: 'close', 'content-type': 'text/plain' });
  response.end(hint);
}

/** Takes as long for every wrong one. */
function isBearer(header: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const [, given = ''] = /^bearer +(\S+)$/i.exec(header ?? '') ?? [];
  return timingSafeEqual(digest(given), digest(token));
}
