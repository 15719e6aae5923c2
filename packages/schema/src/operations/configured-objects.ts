// Operations on the families of configured objects: names, all, one, put, delete.
import type { TObject } from 'typebox';
import { Collection, families, withNulls } from '../configuration.ts';
import { type Family, familyTitles } from '../families.ts';
import { jsonType } from '../media-types.ts';
import { listNamesOf, name, names } from './inputs.ts';
import { changes, type DeclaredOperation, declare, done, json, ofJsonBodies, reads } from './operation.ts';

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
  ...named('alarms', '/config/v2/alarms/names', '/config/v2/alarms', '/config/v2/alarms/:name'),
  ...named('commands', '/config/v2/commands/names', '/config/v2/commands', '/config/v2/commands/:name'),
  ...named('measurements', '/config/v2/measurements/names', '/config/v2/measurements', '/config/v2/measurements/:name'),
  ...named('connectors', '/config/v2/connectors/names', '/config/v2/connectors', '/config/v2/connectors/:name'),
  ...named('providers', '/config/v2/providers/names', '/config/v2/providers', '/config/v2/providers/:name'),
  ...named(
    'function-modules',
    '/config/v2/function-modules/names',
    '/config/v2/function-modules',
    '/config/v2/function-modules/:name',
  ),
  ...named('pictures', '/config/v2/pictures/names', '/config/v2/pictures', '/config/v2/pictures/:name'),
  ...named('trends', '/config/v2/trends/names', '/config/v2/trends', '/config/v2/trends/:name'),
};

function named<F extends Family>(
  family: F,
  ...paths: [names: string, all: string, one: string]
): Named<(typeof familyTitles)[F]> {
  const operations = operationsOf(family, ...paths);
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

function operationsOf(family: Family, namesPath: string, allPath: string, path: string) {
  const schema: TObject = families[family];
  const many = family.replace('-', ' ');
  const one = many.slice(0, -1);
  const aOne = `${one.startsWith('a') ? 'an' : 'a'} ${one}`;
  const subject = { tag: `Configuration: ${many}`, resource: 'configuration' } as const;
  return {
    names: listNamesOf(subject, 'read-config', namesPath, `all configured ${many}`),
    list: declare({
      ...reads(subject, 'read-config'),
      summary: `List all configured ${many}, or the named ones; unknown names are left out`,
      input: names,
      problems: [],
      http: { method: 'GET', path: allPath, answer: json('From name to object.', Collection(schema)) },
    }),
    get: declare({
      ...reads(subject, 'read-config'),
      summary: `Get one configured ${one}`,
      input: name,
      problems: ['unknown-object'],
      http: { method: 'GET', path, names: `the ${one}`, answer: json(`The ${one}.`, schema) },
    }),
    put: declare({
      ...changes(subject, 'configure', 'configure'),
      summary: `Create or replace ${aOne}`,
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
        path,
        names: `the ${one}`,
        body: { types: [jsonType], schema: withNulls(schema), limit: 'max-json-size' },
        answer: done('It is on disk.'),
      },
    }),
    delete: declare({
      ...changes(subject, 'configure', 'configure'),
      summary: `Delete ${aOne}`,
      input: name,
      problems: ['invalid-name', 'unknown-object', 'storage-failed'],
      http: { method: 'DELETE', path, names: `the ${one}`, answer: done('It is deleted, on disk too.') },
    }),
  };
}
