// The connector: polls the paths of one server, reads points out of their JSON, and writes commands. A path is a device of
// its own: one that fails leaves the others alone. The rhythm is the poller's.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Batch, parseExactJson, quality, unstored, type Value } from '@telltale/schema';
import {
  type BrowseAnswer,
  type BrowseRequest,
  type Connector,
  type ConnectorOptions,
  Fatal,
  followPointer,
  HostNames,
  type InstanceDetail,
  NoAnswer,
  NotConnected,
  PeerCertificates,
  Poller,
  type PollRequest,
  type ReadingTrace,
  Refused,
  SourceTimes,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  TlsPeer,
  type WriteResult,
  written,
} from '@telltale/stack-kit';
import { browseDocument, browsePaths } from './browse.ts';
import { judgeAnswer, requestOf } from './command-request.ts';
import type { ConnectorVariables } from './connector-variables.ts';
import { parseHeaders } from './headers.ts';
import { type HttpAnswer, HttpClient, Unanswered } from './http-client.ts';
import { addReading, type Item, itemOf } from './item.ts';
import { readValue } from './read-value.ts';

export function createConnector(options: ConnectorOptions<ConnectorVariables>): Connector {
  return new HttpConnector(options);
}

interface PathRequest extends PollRequest {
  readonly path: string;
}

interface PathState {
  document: unknown;
  timeUs: number | undefined;
  error: string | undefined;
}

const maxRawLength = 500;
/** Where nothing is read, something is asked for nevertheless, so that the link is known to be there. */
const aliveId = 2 ** 32 - 1;

class HttpConnector implements Connector {
  readonly #options: ConnectorOptions<ConnectorVariables>;
  readonly #poller: Poller<PathRequest>;
  readonly #times: SourceTimes;
  readonly #certificates: PeerCertificates;
  readonly #names: HostNames;
  #client: HttpClient | undefined;
  #items = new Map<number, Item>();
  #states = new Map<string, PathState>();

  constructor(options: ConnectorOptions<ConnectorVariables>) {
    this.#options = options;
    this.#certificates = new PeerCertificates(options);
    this.#names = new HostNames(options.clock);
    const { clock, meter, log, publish, variables, maxClockSkewMs } = options;
    this.#times = new SourceTimes({ clock, maxSkewMs: maxClockSkewMs });
    this.#poller = new Poller<PathRequest>({
      clock,
      meter,
      log,
      publish,
      reconnectMaxMs: options.reconnectMaxMs,
      scanPeriodMs: variables.scanPeriodMs,
      deviceOf: ({ id }) => this.#items.get(id)?.path ?? '',
      plan: (points) => this.#plan(points),
      read: (request, batch, signal) => this.#read(request, batch, signal),
      requestsAtOnceInAll: variables.requestsAtOnce,
    });
  }

  setPoints({ measurements, commands }: StackPoints): void {
    const items = measurements.flatMap((point) => itemOf(point) ?? []);
    if (items.length === 0 && commands.length > 0) items.push(alive());
    this.#items = new Map(items.map((item) => [item.point.id, item]));
    const states = this.#states;
    this.#states = new Map(items.map(({ path }) => [path, states.get(path) ?? emptyState()]));
    const extra = items.filter(({ point }) => point.id === aliveId).map(({ point }) => point);
    this.#poller.setPoints([...measurements, ...extra]);
  }

  async connect(signal: AbortSignal): Promise<void> {
    this.#client = await this.#makeClient();
    await this.#poller.probe(signal);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#poller.run(signal);
  }

  async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const request = requestOf(command, value);
    if (typeof request === 'string') return written.refused(request);
    if (this.#client === undefined) return written.notSent('there is no link');
    try {
      return judgeAnswer(await this.#client.send({ ...request, signal, maySend: this.#options.mayWrite }));
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      return error.isSent ? written.unknown(error.message) : written.notSent(error.message);
    }
  }

  async close(): Promise<void> {
    this.#client?.close();
    this.#client = undefined;
    await this.#certificates.close();
  }

  detail(): InstanceDetail {
    return this.#poller.detail();
  }

  explain(measurement: StackPoint): ReadingTrace | undefined {
    const item = this.#items.get(measurement.id);
    const state = this.#states.get(item?.path ?? '');
    if (item === undefined || state?.timeUs === undefined) return undefined;
    const json = state.error === undefined ? followPointer(state.document, item.pointer) : undefined;
    const value = json === undefined ? undefined : readValue(measurement.datatype, json);
    const misfit =
      json === undefined ? 'the answer has nothing there' : `it does not fit datatype ${measurement.datatype}`;
    return {
      timeUs: state.timeUs,
      request: `GET ${item.path}`,
      raw: json === undefined ? undefined : typeof json === 'bigint' ? String(json) : rawText(json),
      value: value === undefined ? undefined : unstored(measurement.datatype, value),
      error: state.error ?? (value === undefined ? misfit : undefined),
      device: item.path,
      scanPeriodMs: this.#poller.groupOf(measurement),
    };
  }

  browse(request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    const { path } = request;
    if (path !== undefined) return browseDocument({ ...request, path }, (of) => this.#load(of, signal));
    const offered = this.#options.variables.browsePaths.split(',').filter((each) => each.startsWith('/'));
    return Promise.resolve(browsePaths([...new Set([...offered, ...this.#states.keys()])], request));
  }

  #plan(points: readonly StackPoint[]): PathRequest[] {
    const known = points.filter(({ id }) => this.#items.has(id));
    const item = this.#items.get(known[0]?.id ?? -1);
    return item === undefined ? [] : [{ path: item.path, points: known }];
  }

  async #read({ path, points }: PathRequest, batch: Batch, signal: AbortSignal): Promise<void> {
    const state = this.#states.get(path) ?? emptyState();
    const answer = await this.#get(path, state, signal);
    const { clock, log, variables } = this.#options;
    const before = state.error;
    const failed = this.#take(answer, state);
    state.timeUs = clock.now();
    if (state.error !== undefined && state.error !== before) log.warn(`${path}: ${state.error}`);
    const reading = {
      document: state.document,
      timeUs: state.timeUs,
      serverUs: dateOf(answer),
      timeUnit: variables.timeUnit,
      times: this.#times,
    };
    for (const { id } of points) {
      const item = this.#items.get(id);
      if (id === aliveId || item === undefined) continue;
      if (failed === undefined) addReading(item, reading, batch);
      else batch.none(id, failed, state.timeUs);
    }
  }

  /**
   * All of it every time: that nothing has changed since an earlier answer, servers tell by tags of the second and the size
   * of a file, so that the last of two changes within a second would never be seen.
   */
  async #get(path: string, state: PathState, signal: AbortSignal): Promise<HttpAnswer> {
    if (this.#client === undefined) throw new NotConnected('there is no link');
    try {
      return await this.#client.get(path, signal);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      state.error = error.message;
      state.timeUs = this.#options.clock.now();
      throw new NoAnswer(error.message);
    }
  }

  /** Keeps the answer. Returns the quality of all points of the path where it has none of their values. */
  #take(answer: HttpAnswer, state: PathState): number | undefined {
    const { status, statusText, headers, body } = answer;
    state.document = undefined;
    if (status < 200 || status >= 300) {
      const whereTo = headers.location === undefined ? '' : `, and leads to ${headers.location.slice(0, 200)}`;
      state.error = `the server answers ${statusText}${whereTo}`;
      // That something is wrong with the request, or with the server.
      return status < 500 && status !== 429 && status !== 408
        ? quality.bad.configurationError
        : quality.bad.deviceFailure;
    }
    if (body === undefined) {
      state.error = `the answer has more than ${this.#options.variables.maxBodyBytes} bytes (maxBodyBytes)`;
      return quality.bad.configurationError;
    }
    try {
      state.document = documentOf(answer, body);
    } catch (error) {
      state.error = `the answer is no JSON: ${(error as Error).message}`;
      return quality.bad.deviceFailure;
    }
    state.error = undefined;
    return undefined;
  }

  /** Over a connection of its own: however long it takes, the scans do not wait for it. */
  async #load(path: string, signal: AbortSignal): Promise<unknown> {
    if (this.#client === undefined) throw new Refused('there is no link');
    try {
      const answer = await this.#client.send({ method: 'GET', path, signal });
      const { status, statusText, body } = answer;
      if (status < 200 || status >= 300) throw new Refused(`the server answers ${statusText} to GET ${path}`);
      if (body === undefined) throw new Error('the answer is larger than maxBodyBytes');
      return documentOf(answer, body);
    } catch (error) {
      throw signal.aborted || error instanceof Refused
        ? error
        : new Refused(`GET ${path}: ${(error as Error).message}`);
    }
  }

  async #makeClient(): Promise<HttpClient> {
    const { clock, folder, log, variables } = this.#options;
    const { baseUrl, timeoutMs, maxBodyBytes, requestsAtOnce, caFile, dangerouslyTrustAnyCertificate } = variables;
    if (dangerouslyTrustAnyCertificate)
      log.warn('certificates are not verified: an attacker on the network can read and change all traffic');
    const ca = caFile === '' ? undefined : await readAuthorities(join(folder, caFile));
    const { host, hostname } = new URL(baseUrl);
    const certificates = this.#certificates;
    const peer = TlsPeer.of({ certificates, address: host, serverName: hostname, clock });
    return new HttpClient({
      baseUrl,
      headers: headersOf(variables),
      timeoutMs,
      maxBodyBytes,
      connections: requestsAtOnce,
      clock,
      names: this.#names,
      tls: ca === undefined ? {} : { ca },
      peer: dangerouslyTrustAnyCertificate ? undefined : await peer,
    });
  }
}

function alive(): Item {
  const point: StackPoint = { id: aliveId, name: 'alive', address: '/', datatype: 's', properties: {} };
  return { point, path: '/', pointer: [], timePointer: undefined, qualityPointer: undefined };
}

function emptyState(): PathState {
  return { document: undefined, timeUs: undefined, error: undefined };
}

/** Throws where it is no JSON in UTF-8, or may be only a part of it. */
function documentOf({ headers, isFramed }: HttpAnswer, body: Buffer): unknown {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Error(`it is compressed with ${encoding}, which was not requested`);
  const document = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  // The end of anything else shows in itself: 12 may be all that came of 1234.
  if (!isFramed && (typeof document === 'number' || typeof document === 'bigint')) {
    throw new Error('it is a single number without Content-Length: it may be truncated');
  }
  return document;
}

/** By the clock of the server, to the second. */
function dateOf({ headers: { date } }: HttpAnswer): number | undefined {
  const ms = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(ms) ? undefined : ms * 1000;
}

function headersOf({ headers, user, password, token, keyHeader, key }: ConnectorVariables): Record<string, string> {
  const given = parseHeaders(headers);
  if (typeof given === 'string') throw new Fatal(`headers ${given}`);
  if (/[^\x20-\x7e]/.test(token + key))
    throw new Fatal('a token or key has characters that are not allowed in a header');
  return {
    ...given,
    ...(keyHeader !== '' && { [keyHeader]: key }),
    ...(user !== '' && { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }),
    ...(token !== '' && { authorization: `Bearer ${token}` }),
  };
}

async function readAuthorities(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // Somebody may be about to put it there.
    throw new NotConnected(`cannot read caFile: ${(error as Error).message}`);
  }
}

function rawText(json: unknown): string {
  try {
    const text = JSON.stringify(json, (_, each) => (typeof each === 'bigint' ? String(each) : each));
    return text.length > maxRawLength ? `${text.slice(0, maxRawLength)}…` : text;
  } catch {
    return 'nested too deeply to be shown';
  }
}
