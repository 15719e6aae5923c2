// The HTTP interface of version 1: function modules, how they are, what they print, and starting and stopping them.
import {
  formatTimestamp,
  fromTimestamp,
  functionModuleFields,
  functionModuleOperations,
  LiveFunctionModule,
  LogLine,
  type LogStream,
  logOptions,
  Names,
} from '@telltale/schema';
import Type from 'typebox';
import { collectionRoutes } from '../data/index.ts';
import { jsonType, type Route } from '../route.ts';
import type { ModuleAccess } from './module-access.ts';

export interface ModuleRoutesOptions {
  readonly base: string;
  readonly modules: ModuleAccess;
}

const tag = 'Function modules';
const names = 'the function module';
const textType = 'text/plain';
const defaultLines = 100;

const done = {
  start: { summary: 'Start a function module, also one that has failed', happened: 'Its process is there.' },
  stop: {
    summary: 'Stop a function module, until it is started again or the service is',
    happened: 'Nothing of it lives any more.',
  },
  restart: { summary: 'Stop a function module and start it again', happened: 'Its new process is there.' },
};

export function moduleRoutes({ base, modules }: ModuleRoutesOptions): Route[] {
  const path = `${base}/function-modules`;
  return [
    {
      method: 'GET',
      path: `${path}/names`,
      id: 'listNamesOfFunctionModules',
      tag,
      summary: 'Names of the function modules that are configured, sorted',
      answer: { status: 200, description: 'The names.', type: jsonType, schema: Names },
      problems: [],
      handle: () => modules.names(),
    },
    ...collectionRoutes({
      path,
      tag,
      one: 'function module',
      schema: LiveFunctionModule,
      fields: functionModuleFields,
      read: (selection) => modules.read(selection),
      readOne: (name) => modules.readOne(name),
    }),
    {
      method: 'GET',
      path: `${path}/:name/log`,
      id: 'readFunctionModuleLog',
      tag,
      summary: 'What it printed last, newest last; as text, a line is its time, its stream and what was printed',
      names,
      query: Type.Object(logOptions, { additionalProperties: false }),
      answer: {
        status: 200,
        description: 'The lines.',
        type: jsonType,
        otherTypes: [textType],
        schema: Type.Array(LogLine),
      },
      problems: ['unknown-object', 'not-acceptable', 'storage-failed'],
      handle: async ({ name, query, type }) => {
        const { lines = defaultLines, stream } = query as { lines?: number; stream?: LogStream };
        const found = await modules.readLog(name, lines, stream);
        return type === textType ? found.map(textOf).join('') : found;
      },
    },
    ...functionModuleOperations.map(
      (operation): Route => ({
        method: 'POST',
        path: `${path}/:name/${operation}`,
        id: `${operation}FunctionModule`,
        tag,
        access: 'write',
        summary: done[operation].summary,
        names,
        answer: { status: 204, description: done[operation].happened },
        problems: [
          'invalid-name',
          'unknown-object',
          ...(operation === 'stop' ? [] : (['module-disabled', 'module-failed'] as const)),
        ],
        handle: ({ name }) => modules.operate(name, operation),
      }),
    ),
  ];
}

function textOf({ t, stream, text }: LogLine): string {
  return `${formatTimestamp(fromTimestamp(t))} ${stream} ${text}\n`;
}
