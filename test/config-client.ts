// A client of one interface of the service for tests, the configuration's unless told. It holds the form of every error
// answer against the catalogue, and remembers what was answered, to be compared with the reference that the service
// gives of itself.
import assert from 'node:assert/strict';
import { checker, Problem, type ProblemName, problemMediaType, problemPage, problems } from '@telltale/schema';
import type { ServerProcess } from './server-process.ts';

export interface Sent {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is; with `body` it makes no sense. */
  readonly raw?: string | Uint8Array;
  readonly type?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Documented {
  readonly paths: Record<
    string,
    Record<string, { responses: Record<string, { 'x-problems'?: ProblemName[] } | undefined> } | undefined>
  >;
}

const problem = checker(Problem);

export class ConfigClient {
  readonly #server: () => ServerProcess;
  readonly #base: string;
  readonly #answered = new Map<string, { method: string; path: string; status: number; problem?: ProblemName }>();

  /** A function, since a test may start another server in the middle. */
  constructor(server: () => ServerProcess, base = '/config/v2') {
    this.#server = server;
    this.#base = base;
  }

  async ask(method: string, path: string, { body, raw, type }: Sent = {}): Promise<Answer> {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const sentType = type ?? (content === undefined ? undefined : 'application/json');
    const response = await fetch(this.#server().url + this.#base + path, {
      method,
      ...(sentType !== undefined && { headers: { 'content-type': sentType } }),
      ...(content !== undefined && { body: content as string | Uint8Array<ArrayBuffer> }),
    });
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    const name = answer.status >= 400 && method !== 'HEAD' ? nameOfProblem(answer) : undefined;
    const key = `${method} ${path} ${answer.status} ${name}`;
    this.#answered.set(key, { method, path, status: answer.status, ...(name !== undefined && { problem: name }) });
    return answer;
  }

  /** The JSON of an answer of 200. */
  async read<Body = unknown>(path: string): Promise<Body> {
    const { status, headers, text } = await this.ask('GET', path);
    assert.equal(status, 200, text);
    assert.match(headers.get('content-type') ?? '', /^application\/json\b/);
    return JSON.parse(text) as Body;
  }

  /** Sends what must be answered by 204 without a body. */
  async done(method: string, path: string, sent?: Sent): Promise<void> {
    const { status, text } = await this.ask(method, path, sent);
    assert.deepEqual({ status, text }, { status: 204, text: '' });
  }

  put(path: string, body: unknown): Promise<void> {
    return this.done('PUT', path, { body });
  }

  /** Sends what must be refused by the problem of this name, and gives its body. */
  async refused(name: ProblemName, method: string, path: string, sent?: Sent): Promise<Problem> {
    const { status, text } = await this.ask(method, path, sent);
    assert.ok(status >= 400, `${method} ${path.slice(0, 100)} was answered by ${status}, not by ${name}`);
    const body = JSON.parse(text) as Problem;
    assert.equal(body.type, problemPage(name), text.slice(0, 1000));
    return body;
  }

  /** Like `refused`; gives where each error is. */
  async faulty(name: ProblemName, method: string, path: string, sent?: Sent): Promise<string[]> {
    const { errors = [] } = await this.refused(name, method, path, sent);
    return errors.map((error) => error.path);
  }

  /** What was answered and is not in the reference. */
  async undocumented(): Promise<string[]> {
    const { paths } = (await (await fetch(`${this.#server().url}/openapi.json`)).json()) as Documented;
    const missing: string[] = [];
    for (const { method, path, status, problem: name } of this.#answered.values()) {
      const operation = operationAt(paths, method, this.#base + path);
      const response = operation?.responses[status];
      const isThere = name === undefined ? response !== undefined : response?.['x-problems']?.includes(name);
      if (operation !== undefined && !isThere) missing.push(`${method} ${path.slice(0, 100)}: ${status} ${name ?? ''}`);
    }
    return missing;
  }
}

/** Undefined for methods and paths that the interface does not have: those are refused everywhere in one way. */
function operationAt(paths: Documented['paths'], method: string, path: string) {
  const parts = path.split('?', 1)[0]?.split('/').filter(Boolean) ?? [];
  const fits = Object.keys(paths).filter((template) => {
    const wanted = template.split('/').filter(Boolean);
    return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at]);
  });
  const key = (method === 'HEAD' ? 'GET' : method).toLowerCase();
  const found = fits.filter((template) => paths[template]?.[key] !== undefined);
  const [best] = found.sort((a, b) => a.split('{').length - b.split('{').length);
  return best === undefined ? undefined : paths[best]?.[key];
}

/** Fails where an error answer is not as every error answer must be. */
export function nameOfProblem({ status, headers, text }: Answer): ProblemName {
  assert.match(headers.get('content-type') ?? '', new RegExp(`^${problemMediaType.replace('+', '\\+')}(?:;|$)`), text);
  const body = JSON.parse(text) as Problem;
  assert.deepEqual(problem.faults(body), [], text);
  const name = (Object.keys(problems) as ProblemName[]).find((known) => problemPage(known) === body.type);
  if (name === undefined) assert.fail(`${body.type} is not in the catalogue`);
  assert.deepEqual([body.title, body.status], [problems[name].title, status]);
  assert.notEqual(body.detail, '');
  assert.ok(body.errors === undefined || body.errors.length > 0);
  if (status === 405) assert.match(headers.get('allow') ?? '', /^[A-Z]+(?:, [A-Z]+)*$/);
  return name;
}
