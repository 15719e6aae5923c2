// Finds what a request is for: its endpoint, the parameters in its path and its query; or says what would apply there.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError } from '@telltale/schema';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { originForm } from './request-form.ts';
import { type Route, takes } from './route.ts';

export interface Found<Endpoint> {
  readonly endpoint: Endpoint;
  /** Decoded. */
  readonly params: PathParameters;
  /** The part behind the `?`; the route knows which parameters are valid. */
  readonly query: string;
}

type Target = Pick<IncomingMessage, 'method' | 'url'>;

/** Clients repeat the same requests: results are cached for so many URLs, none of them longer. */
const mostRecent = 1000;
const longestRecent = 256;

export type PathParameters = Readonly<Record<string, string | undefined>>;

const options = {
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  maxParamLength: Number.MAX_SAFE_INTEGER,
  /** Found, not cached. */
  onBadUrl: () => undefined,
};

/** The library calls handlers; here it only finds. */
const nothing = () => undefined;

export class Router<Endpoint> {
  readonly #endpoints = findMyWay(options);
  readonly #allowed = findMyWay(options);
  /** By URL, for GET. */
  readonly #recent = new Map<string, Found<Endpoint>>();

  constructor(routes: readonly Route[], endpointOf: (route: Route) => Endpoint) {
    for (const route of routes) this.#endpoints.on(route.method, route.path, nothing, endpointOf(route));
    for (const path of new Set(routes.map((route) => route.path))) {
      // What a parameter of another path takes, such as `/alarms/names` by `/alarms/:name`, has the methods of both.
      const methods = new Set(routes.filter((other) => takes(other.path, path)).map(({ method }) => method));
      const allow = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].join(', ');
      this.#allowed.on('GET', path, nothing, allow);
    }
  }

  /** Whether a path that can be read has no route, of no method. */
  isNothing({ url: target = '' }: Target): boolean {
    const [path = ''] = originForm(target).split('?', 1);
    return this.#allowed.find('GET', path) === null;
  }

  /** Undefined where no route matches. */
  findIfThere({ method = '', url = '' }: Target): Found<Endpoint> | undefined {
    const [path = '', query = ''] = splitAtMark(originForm(url));
    const found = this.#endpoints.find((method === 'HEAD' ? 'GET' : method) as HTTPMethod, path);
    return found?.store == null ? undefined : { endpoint: found.store as Endpoint, params: found.params, query };
  }

  /** Throws `ProblemError` where no route matches; the response then lists the methods that apply. */
  find(request: Target, response: ServerResponse): Found<Endpoint> {
    const { method, url = '' } = request;
    if (method !== 'GET' || url.length > longestRecent) return this.#search(request, response);
    const recent = this.#recent.get(url);
    if (recent !== undefined) return recent;
    const found = this.#search(request, response);
    if (this.#recent.size === mostRecent) this.#recent.clear();
    this.#recent.set(url, found);
    return found;
  }

  #search({ method = '', url: target = '' }: Target, response: ServerResponse): Found<Endpoint> {
    const url = originForm(target);
    const found = this.findIfThere({ method, url: target });
    if (found !== undefined) return found;
    const [path] = splitAtMark(url);
    const other = this.#allowed.find('GET', path);
    if (other === null) {
      throw new ProblemError('unknown-path', `There is nothing at ${url.slice(0, 200)}; /docs/ lists every path.`);
    }
    if (other.store == null) throw new ProblemError('malformed-request', 'The URL cannot be decoded.');
    response.setHeader('allow', other.store as string);
    throw new ProblemError('method-not-allowed', `${method} does not apply here; ${other.store} do.`);
  }
}

/** The library would read all of the query. */
function splitAtMark(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}
