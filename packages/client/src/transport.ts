// One HTTP request and its outcome: the answer, a TelltaleProblem, or Unreachable. What the requests are is left
// to the parts that use it.
import type { Clock, Method, ProblemName } from '@telltale/schema';
import { isIdentifier, isNameOrPattern, isPattern, onAbort, parseJson } from '@telltale/schema/values';
import { authorizationOf, type Credential } from './credential.ts';
import { readProblem, TelltaleProblem, Unreachable } from './errors.ts';

export type Bytes = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | Blob;

export interface TransportOptions {
  /** With a slash at its end. */
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly token: Credential | undefined;
  /** So long a request may go without its answer, and bytes on their way without going on. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface AskOptions {
  /** Ends the request: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface Sent extends AskOptions {
  readonly query?: Record<string, string | number | boolean | undefined>;
  readonly json?: unknown;
  readonly bytes?: { readonly body: Bytes; readonly type: string };
  /** The form of the answer, where there are several. */
  readonly accept?: string | undefined;
}

/** Bytes as they arrive; `length` where the service says it beforehand. */
export interface Download {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly length: number | undefined;
}

/** Not every browser can loop over a stream itself. Leaving the loop ends the download. */
export async function* chunksOf({ stream }: Download): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}

/** Error codes of the system if no connection was made. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Error codes of the system if the peer has closed the connection. */
const cutOff = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export class Transport {
  readonly base: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #token: Credential | undefined;
  readonly #timeoutMs: number;
  readonly #clock: Clock;

  constructor({ base, fetch, token, timeoutMs, clock }: TransportOptions) {
    this.base = base;
    this.#fetch = fetch;
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  /** An object or an array; anything else is not of Telltale. */
  async json<Body extends object>(path: string, sent: Sent = {}, method: Method = 'GET'): Promise<Body> {
    const text = await this.text(path, sent, method);
    try {
      const body = parseJson(text);
      if (typeof body === 'object' && body !== null) return body as Body;
    } catch {
      // not JSON
    }
    throw this.stranger(method, path, 'its answer is not JSON');
  }

  /** A JSON object from name to object. It has no prototype: a name that is not there is undefined, whatever it is. */
  async collection<Item>(path: string, sent: Sent = {}): Promise<Record<string, Item>> {
    return Object.setPrototypeOf(await this.json<Record<string, Item>>(path, sent), null);
  }

  text(path: string, sent: Sent = {}, method: Method = 'GET'): Promise<string> {
    return this.#ask(method, path, sent, (response) => response.text());
  }

  /** Asks for what changes something. Only 204 says that it happened: a page that asks to log in does not. */
  async send(method: 'PUT' | 'POST' | 'DELETE', path: string, sent: Sent = {}): Promise<void> {
    await this.#ask(method, path, sent, async (response) => {
      if (response.status === 204) return;
      await response.body?.cancel();
      throw this.stranger(method, path, `it answers ${method} with ${response.status}`);
    });
  }

  /** An answer of any length, as it comes. */
  download(path: string, sent: Sent = {}, method: 'GET' | 'POST' = 'GET'): Promise<Download> {
    return this.#ask(method, path, sent, async (response) => {
      const length = response.headers.get('content-length');
      return { stream: this.#guarded(response, sent.signal), length: length === null ? undefined : Number(length) };
    });
  }

  async #ask<T>(method: string, path: string, sent: Sent, read: (response: Response) => T | Promise<T>): Promise<T> {
    const { signal } = sent;
    signal?.throwIfAborted();
    // What cannot be sent at all is thrown here, as it is: once a request has begun, it is not known what became of it.
    const url = this.base + path + queryText(sent.query);
    const body = bodyOf(sent);
    const known = authorizationOf(this.#token);
    const authorization = known instanceof Promise ? await known : known;
    const deadline = new Deadline(this.#timeoutMs, this.#clock);
    const ended = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
    let broken: { readonly error: unknown } | undefined;
    const onBroken = (error: unknown) => {
      broken = { error };
    };
    try {
      const init = initOf(sent, body, authorization, { deadline, onBroken });
      const response = await this.#answer(url, { method, signal: ended, ...init });
      if (response.ok) return await read(response);
      throw new TelltaleProblem(await problemOf(response));
    } catch (error) {
      if (error instanceof TelltaleProblem || error instanceof Unreachable) throw error;
      signal?.throwIfAborted();
      if (broken !== undefined) throw broken.error; // of a body that ends too early, the service does nothing
      throw this.#unreachable(method, deadline.signal.aborted, error);
    } finally {
      deadline.end();
    }
  }

  /**
   * The service closes connections that are idle, maybe just when one is used again: a read is then asked once more, on
   * another one. What else is asked may have been carried out. Browsers do so themselves.
   */
  async #answer(url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      if (init.method !== 'GET' || init.signal?.aborted || !cutOff.has(codeOf(error))) throw error;
      return await this.#fetch(url, init);
    }
  }

  /** The body; where it breaks off or stands still, that is Unreachable too, unless the signal ended it. */
  #guarded(response: Response, signal: AbortSignal | undefined): Download['stream'] {
    const reader = (response.body as Download['stream'] | null)?.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        const deadline = new Deadline(this.#timeoutMs, this.#clock);
        onAbort(deadline.signal, () => {
          controller.error(this.#unreachable('GET', true, undefined));
          reader?.cancel().catch(() => undefined);
        });
        try {
          const { done = true, value } = (await reader?.read()) ?? {};
          if (deadline.signal.aborted) return;
          if (done || value === undefined) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(signal?.aborted ? signal.reason : this.#unreachable('GET', false, error));
        } finally {
          deadline.end();
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    });
  }

  /** What has answered makes no sense. */
  stranger(method: string, path: string, what: string): Unreachable {
    return new Unreachable(`What is at ${this.base}${path} is not Telltale: ${what}. Check the address.`, {
      mayHaveHappened: method !== 'GET',
    });
  }

  #unreachable(method: string, isOverdue: boolean, cause: unknown): Unreachable {
    const reason = isOverdue ? `no answer within ${this.#timeoutMs / 1000} s` : reasonOf(cause);
    const mayHaveHappened = method !== 'GET' && (isOverdue || !neverSent.has(codeOf(cause)));
    const doubt = mayHaveHappened
      ? ' It is not known whether the request was carried out: look before you repeat it.'
      : '';
    return new Unreachable(
      `Telltale cannot be reached at ${this.base} (${reason}). Check that it runs, and the address.${doubt}`,
      { mayHaveHappened, cause },
    );
  }
}

/** Aborts its signal when nothing has happened for so long. */
class Deadline {
  readonly #ending = new AbortController();
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #cancel: () => void = () => undefined;

  constructor(timeoutMs: number, clock: Clock) {
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  restart(moreMs = 0): void {
    this.#cancel();
    this.#cancel = this.#clock.after(this.#timeoutMs + moreMs, () => this.#ending.abort());
  }

  end(): void {
    this.#cancel();
  }
}

/** Bytes that go as a whole may take longer, by this much. */
const slowestBytesPerMs = 100;

interface Body {
  readonly body: Bytes | string;
  readonly type: string;
}

/** Throws where it is no JSON. */
function bodyOf({ json, bytes }: Sent): Body | undefined {
  return bytes ?? (json === undefined ? undefined : { body: JSON.stringify(json), type: 'application/json' });
}

function initOf(
  { accept }: Sent,
  sent: Body | undefined,
  authorization: Readonly<Record<string, string>>,
  { deadline, onBroken }: { readonly deadline: Deadline; readonly onBroken: (error: unknown) => void },
): RequestInit {
  // What leads elsewhere is not the service, and a write must not be carried there.
  const common = { redirect: 'error' } as const;
  const accepted = { ...authorization, ...(accept !== undefined && { accept }) };
  if (sent === undefined) return { ...common, headers: accepted };
  const headers = { ...accepted, 'content-type': sent.type };
  const { body } = sent;
  if (typeof body === 'string') return { ...common, headers, body };
  if (!(body instanceof ReadableStream)) {
    deadline.restart((body instanceof Blob ? body.size : body.length) / slowestBytesPerMs);
    return { ...common, headers, body };
  }
  // The types of browsers do not have `duplex` yet, without which they send no stream.
  const streamed: RequestInit & { readonly duplex: 'half' } = {
    ...common,
    headers,
    body: followed(body, () => deadline.restart(), onBroken),
    duplex: 'half',
  };
  return streamed;
}

/** The same stream; `onBroken` hears why it cannot be read to its end. */
function followed(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onChunk: () => void,
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        onChunk();
        controller.enqueue(value);
      } catch (error) {
        onBroken(error);
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The name as a part of a path. One that no object can have never leaves: `..` would lead elsewhere. */
export function pathName(name: string, otherwise: ProblemName): string {
  if (isIdentifier(name)) return name;
  const shown = JSON.stringify(name.slice(0, 80));
  throw TelltaleProblem.of(otherwise, `${shown} is not a name: 1 to 64 characters of 0-9, a-z, A-Z and _.`);
}

/** Another text as a part of a path. */
export function pathPart(text: string, otherwise: ProblemName): string {
  if (!/^\.{0,2}$/.test(text) && text.isWellFormed()) return encodeURIComponent(text);
  throw TelltaleProblem.of(otherwise, `${JSON.stringify(text)} is not a name.`);
}

/** So many characters of a URL every server and proxy takes. */
const maxListLength = 6000;

/** Asks for any number of names in as many requests as it needs. What cannot be a name is not there. */
export async function byNames<Item>(
  names: readonly string[] | undefined,
  ask: (names: string | undefined) => Promise<Record<string, Item>>,
): Promise<Record<string, Item>> {
  if (names === undefined) return ask(undefined);
  const entries: [string, Item][] = [];
  for (const list of listsOf(names)) entries.push(...Object.entries(await ask(list)));
  return Object.setPrototypeOf(Object.fromEntries(entries), null);
}

/**
 * The names, each once, in lists with commas that fit into a URL. What cannot be a name is left out. With patterns among
 * them there is one list, so that nothing is found twice.
 */
export function listsOf(names: readonly string[]): string[] {
  if (names.some(isPattern)) return [[...new Set(names.filter(isNameOrPattern))].join()];
  const lists: string[] = [];
  for (const name of new Set(names.filter(isIdentifier))) {
    const last = lists.at(-1);
    if (last === undefined || last.length + name.length > maxListLength) lists.push(name);
    else lists[lists.length - 1] = `${last},${name}`;
  }
  return lists;
}

function queryText(query: Sent['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parts = given.map(([name, value]) => `${name}=${encodeURIComponent(queryValue(name, value))}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function queryValue(name: string, value: string | number | boolean | undefined): string {
  const text = typeof value === 'boolean' ? String(Number(value)) : String(value);
  if (text.isWellFormed()) return text;
  const detail = `${name} has half a surrogate pair in it: well-formed Unicode is expected. Nothing was sent.`;
  throw TelltaleProblem.of('invalid-value', detail);
}

const maxProblemLength = 1 << 20;

async function problemOf(response: Response) {
  const text = (await response.text()).slice(0, maxProblemLength);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    body = undefined; // the page of some proxy
  }
  return readProblem(body, response.status, text);
}

function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : cause === undefined ? '' : codeOf(cause);
}

function reasonOf(error: unknown): string {
  const { message, cause } = (error ?? {}) as { message?: unknown; cause?: unknown };
  return codeOf(error) || (cause === undefined ? String(message ?? error) : reasonOf(cause));
}
