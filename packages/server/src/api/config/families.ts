// The six families of configured objects: names, collection, one object, put, delete.
import { Collection, type Family, families, familyNames, Names, withNulls } from '@telltale/schema';
import Type from 'typebox';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import { NamesParameter, readNames } from '../read-list.ts';
import { jsonBody } from '../read-request.ts';
import { jsonType, ofJsonBodies, type Route } from '../route.ts';

export const NamesQuery = Type.Object({ names: NamesParameter }, { additionalProperties: false });

export interface FamilyRoutesOptions {
  readonly base: string;
  readonly cfgdb: ConfigurationDatabase;
  readonly maxJsonBytes: number;
}

export function familyRoutes(options: FamilyRoutesOptions): Route[] {
  return familyNames.flatMap((family) => routesOf(family, options));
}

function routesOf(family: Family, { base, cfgdb, maxJsonBytes }: FamilyRoutesOptions): Route[] {
  const schema = families[family];
  const one = family.slice(0, -1).replace('-', ' ');
  const aOne = `${one.startsWith('a') ? 'an' : 'a'} ${one}`;
  const many = `Configured${toPascal(family)}`;
  const single = many.slice(0, -1);
  const tag = `Configuration: ${family.replace('-', ' ')}`;
  const path = `${base}/${family}`;
  return [
    {
      method: 'GET',
      path: `${path}/names`,
      id: `listNamesOf${many}`,
      tag,
      summary: `Names of all ${family.replace('-', ' ')}, sorted`,
      answer: { status: 200, description: 'The names.', type: jsonType, schema: Names },
      problems: [],
      handle: () => cfgdb.call('names', family),
    },
    {
      method: 'GET',
      path,
      id: `list${many}`,
      tag,
      summary: `All ${family.replace('-', ' ')}, or those that are named; unknown names are left out`,
      query: NamesQuery,
      answer: { status: 200, description: 'From name to object.', type: jsonType, schema: Collection(schema) },
      problems: ['too-many-names'],
      handle: ({ query }) => cfgdb.call('list', family, readNames(query.names as string | undefined)),
    },
    {
      method: 'GET',
      path: `${path}/:name`,
      id: `get${single}`,
      tag,
      summary: `One ${one}`,
      names: `the ${one}`,
      answer: { status: 200, description: `The ${one}.`, type: jsonType, schema },
      problems: ['unknown-object'],
      handle: ({ name }) => cfgdb.call('get', family, name),
    },
    {
      method: 'PUT',
      path: `${path}/:name`,
      id: `put${single}`,
      tag,
      summary: `Create ${aOne}, or replace the one with this name`,
      names: `the ${one}`,
      body: jsonBody(withNulls(schema), maxJsonBytes),
      answer: { status: 204, description: 'It is on disk.' },
      problems: [
        'invalid-name',
        'reserved-name',
        ...ofJsonBodies,
        'invalid-body',
        'object-too-large',
        'storage-failed',
      ],
      handle: ({ name, json, caller }) => cfgdb.call('put', family, name, json, caller.author),
    },
    {
      method: 'DELETE',
      path: `${path}/:name`,
      id: `delete${single}`,
      tag,
      summary: `Delete ${aOne}`,
      names: `the ${one}`,
      answer: { status: 204, description: 'It is gone, on disk too.' },
      problems: ['invalid-name', 'unknown-object', 'storage-failed'],
      handle: ({ name, caller }) => cfgdb.call('delete', family, name, caller.author),
    },
  ];
}

function toPascal(family: Family): string {
  return family.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
