// Operations about the service itself: probes, metrics, the catalogue of operations and the documents made from it.
import Type from 'typebox';
import { Degradation } from '../overview.ts';
import { pageRoutes } from '../page-routes.ts';
import { SettingInEffect } from '../settings.ts';
import { declare, json, reads } from './operation.ts';

const service = { tag: 'Service', resource: 'service' } as const;

const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health', additionalProperties: false });
const Readiness = Type.Object(
  {
    status: Type.Enum(['ready', 'degraded', 'standby'], {
      type: 'string',
      description:
        'degraded: the service does its own work, and another machine that it needs for the rest does not, such as its store. standby: another ' +
        'node acts for the site, or none does.',
    }),
    degraded: Type.Optional(Type.Array(Degradation, { description: 'What those do not do.' })),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'What is to be done soon, such as to renew a certificate; a sentence each.',
      }),
    ),
  },
  { title: 'Readiness', additionalProperties: false },
);

const Effect = Type.Object(
  {
    action: Type.String({ description: 'What it does.' }),
    resource: Type.String({ description: 'To which kind of object.' }),
  },
  { title: 'Effect', additionalProperties: false },
);

const ListedOperation = Type.Object(
  {
    summary: Type.String(),
    effect: Effect,
    permission: Type.String({
      description: 'What a caller must be permitted; public: everybody may, signed-in: whoever is known.',
    }),
    audited: Type.Boolean({ description: 'Whether who did it, when and to what is recorded in the audit trail.' }),
    input: Type.Unknown({ description: 'The JSON Schema of what it is asked with.' }),
    output: Type.Optional(
      Type.Unknown({ description: 'The JSON Schema of its answer; none where it has no content.' }),
    ),
    problems: Type.Array(Type.String(), { description: 'What can go wrong beyond what can go wrong everywhere.' }),
    http: Type.Optional(
      Type.Object(
        { method: Type.String(), path: Type.String({ description: ':name stands for the input of that name.' }) },
        { additionalProperties: false },
      ),
    ),
    channel: Type.Array(Type.String(), { description: 'The requests of the channel that ask for it.' }),
    'at-sites': Type.Boolean({
      description: 'Whether it can be asked of each site of a centre as well, below /sites/SITE.',
    }),
  },
  { title: 'ListedOperation', additionalProperties: false },
);

export const operationListOperations = {
  listOperations: declare({
    ...reads(service, 'signed-in'),
    summary: 'List every operation: effect, schemas, problems, HTTP and channel form',
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/data/operations',
      answer: json('From name to operation.', Type.Record(Type.String(), ListedOperation)),
    },
  }),
};

export const serviceOperations = {
  getHealth: declare({
    ...reads(service, 'public'),
    summary: 'Liveness probe: whether the process runs',
    isAlwaysAvailable: true,
    input: {},
    problems: [],
    http: { method: 'GET', path: '/healthz', answer: json('It runs.', Health) },
  }),
  getReadiness: declare({
    ...reads(service, 'public'),
    summary: 'Readiness probe: whether the service can do its work',
    isAlwaysAvailable: true,
    input: {},
    problems: ['disk-failing', 'data-folder-gone', 'data-missing'],
    http: { method: 'GET', path: '/readyz', answer: json('It is ready.', Readiness) },
  }),
  getMetrics: declare({
    ...reads(service, 'read-metrics'),
    summary: 'Get the metrics, in the format of Prometheus',
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/metrics',
      answer: {
        status: 200,
        description: 'The metrics.',
        type: 'text/plain; version=0.0.4; charset=utf-8',
        schema: Type.String(),
      },
    },
  }),
  listSettings: declare({
    ...reads(service, 'read-config'),
    summary: 'List the settings of the running service: the value in effect, where it comes from, what it does',
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/data/settings',
      answer: json('From name to setting.', Type.Record(Type.String(), SettingInEffect)),
    },
  }),
  getOpenApi: declare({
    ...reads(service, 'signed-in'),
    summary: 'Get the OpenAPI document',
    isAlwaysAvailable: true,
    input: {},
    problems: [],
    http: { method: 'GET', path: '/openapi.json', answer: json('OpenAPI 3.1.', Type.Object({})) },
  }),
  getReference: declare({
    ...reads(service, 'signed-in'),
    summary: 'Get the API reference, a page',
    isAlwaysAvailable: true,
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/docs',
      answer: { status: 200, description: 'A page.', type: 'text/html; charset=utf-8', schema: Type.String() },
    },
  }),
  getDocument: declare({
    ...reads(service, 'signed-in'),
    summary: 'Get a guide or another document, a page',
    isAlwaysAvailable: true,
    input: {
      folder: Type.Enum(['guides', 'generated', 'stacks'], { type: 'string', description: 'Its folder.' }),
      page: Type.String({ maxLength: 64, description: 'The name of its file.', examples: ['archive.md'] }),
    },
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/docs/:folder/:page',
      answer: { status: 200, description: 'A page.', type: 'text/html; charset=utf-8', schema: Type.String() },
    },
  }),
  getPage: declare({
    ...reads(service, 'public'),
    summary: 'Get the page for people',
    isAlwaysAvailable: true,
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/',
      ignoresQuery: true,
      answer: {
        status: 200,
        description: `A page. Who prefers text/html, as browsers do, gets it at each of its routes as well: ${pageRoutes.slice(1).join(', ')}.`,
        type: 'text/html; charset=utf-8',
        schema: Type.String(),
        isVersioned: true,
      },
    },
  }),
  getPageFile: declare({
    ...reads(service, 'public'),
    summary: 'Get a file of the page: a script or a style sheet, which never changes',
    isAlwaysAvailable: true,
    input: {
      file: Type.String({ maxLength: 200, description: 'Its name, which the page has.', examples: ['main-HASH.js'] }),
    },
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/assets/:file',
      answer: { status: 200, description: 'Its content, of its own type.', type: 'application/octet-stream' },
    },
  }),
  heartbeat: declare({
    ...reads(service, 'signed-in'),
    summary: 'Check that the service answers',
    input: {},
    problems: [],
    channel: [{ request: 'Heartbeat', fields: {} }],
  }),
};
