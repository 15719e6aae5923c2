// Operations on the six families of configured objects: names, all, one, put, delete.
import type { TObject } from 'typebox';
import { Collection, type Family, families, Names, withNulls } from '../configuration.ts';
import { name, names } from './inputs.ts';
import { type DeclaredOperation, declare, done, json, jsonType, ofJsonBodies } from './operation.ts';

const reads = { action: 'read', resource: 'configuration' } as const;
const configures = { action: 'configure', resource: 'configuration' } as const;

interface FamilyPaths {
  readonly names: string;
  readonly all: string;
  readonly one: string;
}

const paths: Readonly<Record<Family, FamilyPaths>> = {
  alarms: {
    names: '/config/v2/alarms/names',
    all: '/config/v2/alarms',
    one: '/config/v2/alarms/:name',
  },
  commands: {
    names: '/config/v2/commands/names',
    all: '/config/v2/commands',
    one: '/config/v2/commands/:name',
  },
  measurements: {
    names: '/config/v2/measurements/names',
    all: '/config/v2/measurements',
    one: '/config/v2/measurements/:name',
  },
  connectors: {
    names: '/config/v2/connectors/names',
    all: '/config/v2/connectors',
    one: '/config/v2/connectors/:name',
  },
  providers: {
    names: '/config/v2/providers/names',
    all: '/config/v2/providers',
    one: '/config/v2/providers/:name',
  },
  'function-modules': {
    names: '/config/v2/function-modules/names',
    all: '/config/v2/function-modules',
    one: '/config/v2/function-modules/:name',
  },
};

/** What a family is called in the names of its operations. */
export const familyTitles = {
  alarms: 'Alarm',
  commands: 'Command',
  measurements: 'Measurement',
  connectors: 'Connector',
  providers: 'Provider',
  'function-modules': 'FunctionModule',
} as const satisfies Record<Family, string>;

type Title = (typeof familyTitles)[Family];
type Operations = ReturnType<typeof operationsOf>;
type Named<T extends Title> = Readonly<
  Record<`listNamesOfConfigured${T}s`, Operations['names']> &
    Record<`listConfigured${T}s`, Operations['list']> &
    Record<`getConfigured${T}`, Operations['get']> &
    Record<`putConfigured${T}`, Operations['put']> &
    Record<`deleteConfigured${T}`, Operations['delete']>
>;

export const configuredObjectOperations = {
  ...named('alarms'),
  ...named('commands'),
  ...named('measurements'),
  ...named('connectors'),
  ...named('providers'),
  ...named('function-modules'),
};

function named<F extends Family>(family: F): Named<(typeof familyTitles)[F]> {
  const operations = operationsOf(family);
  const title = familyTitles[family];
  const all: Record<string, DeclaredOperation> = {
    [`listNamesOfConfigured${title}s`]: operations.names,
    [`listConfigured${title}s`]: operations.list,
    [`getConfigured${title}`]: operations.get,
    [`putConfigured${title}`]: operations.put,
    [`deleteConfigured${title}`]: operations.delete,
  };
  return all as Named<(typeof familyTitles)[F]>;
}

function operationsOf(family: Family) {
  const schema: TObject = families[family];
  const path = paths[family];
  const many = family.replace('-', ' ');
  const one = many.slice(0, -1);
  const aOne = `${one.startsWith('a') ? 'an' : 'a'} ${one}`;
  const tag = `Configuration: ${many}`;
  return {
    names: declare({
      tag,
      summary: `List the names of all configured ${many}, sorted`,
      effect: reads,
      audited: false,
      input: {},
      problems: [],
      http: { method: 'GET', path: path.names, answer: json('The names.', Names) },
    }),
    list: declare({
      tag,
      summary: `List all configured ${many}, or the named ones; unknown names are left out`,
      effect: reads,
      audited: false,
      input: names,
      problems: ['too-many-names'],
      http: { method: 'GET', path: path.all, answer: json('From name to object.', Collection(schema)) },
    }),
    get: declare({
      tag,
      summary: `Get one configured ${one}`,
      effect: reads,
      audited: false,
      input: name,
      problems: ['unknown-object'],
      http: { method: 'GET', path: path.one, names: `the ${one}`, answer: json(`The ${one}.`, schema) },
    }),
    put: declare({
      tag,
      summary: `Create or replace ${aOne}`,
      effect: configures,
      audited: true,
      input: name,
      problems: [
        'invalid-name',
        'reserved-name',
        ...ofJsonBodies,
        'invalid-body',
        'object-too-large',
        'storage-failed',
      ],
      http: {
        method: 'PUT',
        path: path.one,
        names: `the ${one}`,
        body: { types: [jsonType], schema: withNulls(schema), limit: 'max-json-size' },
        answer: done('It is on disk.'),
      },
    }),
    delete: declare({
      tag,
      summary: `Delete ${aOne}`,
      effect: configures,
      audited: true,
      input: name,
      problems: ['invalid-name', 'unknown-object', 'storage-failed'],
      http: { method: 'DELETE', path: path.one, names: `the ${one}`, answer: done('It is gone, on disk too.') },
    }),
  };
}
