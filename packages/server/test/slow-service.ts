// A service for tests of connections: one that answers when it is told to, one that answers at once, and others.
import { ProblemError } from '@telltale/schema';
import Type from 'typebox';
import type { HttpServerOptions } from '../src/api/http-server.ts';
import type { Route } from '../src/api/route.ts';
import { HttpRig } from './http-rig.ts';

/** Of a route that nobody reads about. */
export const common = {
  effect: { action: 'read', resource: 'service' },
  permission: 'public',
  audited: false,
  answer: { status: 200, description: '' },
  problems: [],
} as const;

export class SlowService {
  /** The handlers that run, each by what lets it answer. */
  readonly running: (() => void)[] = [];
  /** How many requests came to a handler. */
  asked = 0;
  readonly routes: Route[] = [
    {
      ...common,
      method: 'GET',
      path: '/slow',
      id: 'slow',
      handle: () => {
        this.asked++;
        return new Promise<string>((resolve) => this.running.push(() => resolve('"slow"')));
      },
    },
    {
      ...common,
      method: 'POST',
      path: '/whole',
      id: 'whole',
      body: { types: ['application/json'], schema: Type.Any(), maxBytes: 1000, setting: '' },
      handle: () => `"${++this.asked}"`,
    },
    { ...common, method: 'GET', path: '/quick', id: 'quick', handle: () => `"${++this.asked}"` },
    {
      ...common,
      method: 'GET',
      path: '/refused',
      id: 'refused',
      handle: () => {
        this.asked++;
        throw new ProblemError('overloaded', 'Too many wait.');
      },
    },
    { ...common, method: 'GET', path: '/large', id: 'large', handle: () => Buffer.alloc(32 << 20, ' ') },
  ];

  rig = new HttpRig({ routes: this.routes });

  async serve(options: Partial<HttpServerOptions>): Promise<void> {
    this.rig = await new HttpRig({ routes: this.routes, ...options }).listen();
  }

  /** Everybody is answered. */
  async end(): Promise<void> {
    await this.rig.end();
    for (const answer of this.running.splice(0)) answer();
    this.asked = 0;
  }
}
