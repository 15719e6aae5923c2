// What the service tells about itself: probes, metrics, the OpenAPI document and the reference page.

import { ProblemError } from '@telltale/schema';
import Type from 'typebox';
import type { Metrics } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { docsPage, docsScriptHash } from './page/docs-page.ts';
import { jsonType, type Route } from './route.ts';

const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health', additionalProperties: false });
const Readiness = Type.Object({ status: Type.Literal('ready') }, { title: 'Readiness', additionalProperties: false });

/** The page needs nothing from anywhere: its own style, its one script, and no more. */
const pagePolicy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${docsScriptHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export interface ServiceRoutesOptions {
  readonly version: string;
  /** The routes of the interfaces, which the document describes beside these. */
  readonly routes: readonly Route[];
  readonly metrics: Metrics;
  /** Why the service cannot do its work now; undefined where it can. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  /** What is wrong with what is kept on disk, though the service answers; undefined where nothing is. */
  readonly diskTrouble: () => ProblemError | undefined;
}

export function serviceRoutes(options: ServiceRoutesOptions): Route[] {
  const { version, routes, metrics, unavailable, diskTrouble } = options;
  const tag = 'Service';
  const described: Route[] = [
    {
      method: 'GET',
      path: '/healthz',
      id: 'getHealth',
      tag,
      summary: 'Whether the process lives',
      answer: { status: 200, description: 'It does.', type: jsonType, schema: Health },
      problems: [],
      handle: async () => ({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      id: 'getReadiness',
      tag,
      summary: 'Whether the service can do its work',
      answer: { status: 200, description: 'It can.', type: jsonType, schema: Readiness },
      problems: ['disk-failing', 'data-folder-gone', 'data-missing'],
      handle: async () => {
        const state = unavailable();
        if (state !== undefined) throw new ProblemError(state, `The service is ${state}.`);
        const trouble = diskTrouble();
        if (trouble !== undefined) throw trouble;
        return { status: 'ready' };
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      id: 'getMetrics',
      tag,
      summary: 'Metrics for Prometheus',
      answer: { status: 200, description: 'The metrics.', type: metrics.registry.contentType, schema: Type.String() },
      problems: [],
      handle: () => metrics.registry.metrics(),
    },
    {
      method: 'GET',
      path: '/openapi.json',
      id: 'getOpenApi',
      tag,
      summary: 'This document',
      answer: { status: 200, description: 'OpenAPI 3.1.', type: jsonType, schema: Type.Object({}) },
      problems: [],
      handle: async () => document(),
    },
    {
      method: 'GET',
      path: '/docs',
      id: 'getReference',
      tag,
      summary: 'This document, for people',
      answer: {
        status: 200,
        description: 'A page.',
        type: 'text/html; charset=utf-8',
        schema: Type.String(),
        headers: { 'content-security-policy': pagePolicy },
      },
      problems: [],
      handle: async () => page(),
    },
    {
      method: 'GET',
      path: '/',
      id: 'getRoot',
      tag,
      summary: 'Leads to the reference',
      answer: { status: 302, description: 'To /docs/.' },
      problems: [],
      handle: async () => '/docs/',
    },
  ];
  // Bytes, which all who ask for them share, made when somebody asks: most never do.
  const api = () => openApiDocument({ version, routes: [...routes, ...described] });
  const document = once(() => Buffer.from(JSON.stringify(api())));
  const page = once(() => Buffer.from(docsPage(api())));
  return described;
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** For people: pages elsewhere may link to them. */
export const documents: ReadonlySet<string> = new Set(['/', '/docs', '/docs/']);

export const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/openapi.json', '/docs', '/']);
