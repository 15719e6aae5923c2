// A server with users: the first administrator is made over the socket in its data folder, others by the administrator.
import { request } from 'node:http';
import { join } from 'node:path';
import type { Grant } from '@telltale/schema';
import type { ServerProcess } from './server-process.ts';

export const administrator = 'root_admin';
/** Of every user of the tests. */
export const password = 'correct horse battery staple';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Over the socket of the owner. */
export function askOwner(folder: string, path: string, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        socketPath: join(folder, 'access.sock'),
        method: 'POST',
        path,
        headers: { host: 'localhost', 'content-type': 'application/json' },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      },
    );
    asking.once('error', reject);
    asking.end(JSON.stringify(body));
  });
}

/** Asks with a cookie, a token, or nothing. */
export class Person {
  readonly #url: string;
  readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = url;
    this.headers = headers;
  }

  async ask(method: string, path: string, body?: object): Promise<Answer> {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: { ...this.headers, ...json },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** Throws where it is not answered well. */
  async do<T>(method: string, path: string, body?: object): Promise<T> {
    const { status, text } = await this.ask(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

/** Everybody signs in from now on. */
export async function closeServer(server: ServerProcess, folder: string): Promise<Person> {
  const { status, text } = await askOwner(folder, '/access/init', { user: administrator, password });
  if (status !== 204) throw new Error(`init: ${status} ${text}`);
  return signIn(server, administrator);
}

export async function signIn(server: ServerProcess, user: string, given = password): Promise<Person> {
  const answer = await fetch(`${server.url}/access/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user, password: given }),
  });
  if (answer.status !== 200) throw new Error(`${user}: ${answer.status} ${await answer.text()}`);
  const [cookie = ''] = answer.headers.get('set-cookie')?.split(';') ?? [];
  return new Person(server.url, { cookie, 'sec-fetch-site': 'same-origin' });
}

/** A user with these grants, signed in. */
export async function makeUser(
  server: ServerProcess,
  admin: Person,
  name: string,
  grants: readonly Grant[],
): Promise<Person> {
  await admin.do('PUT', `/access/users/${name}`, { grants });
  await admin.do('PUT', `/access/users/${name}/password`, { password });
  return signIn(server, name);
}

/** A token that the user makes. */
export async function makeToken(
  server: ServerProcess,
  user: Person,
  name: string,
  grants: readonly Grant[],
  more: object = {},
): Promise<Person> {
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const { token } = await user.do<{ token: string }>('POST', `/access/tokens/${name}`, { grants, expires, ...more });
  return new Person(server.url, { authorization: `Bearer ${token}` });
}
