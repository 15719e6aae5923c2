// What the routes of measurements, commands, alarms, connectors, providers and function modules have in common: the list
// with names and fields, and the one.
import { Collection, type ProblemName } from '@telltale/schema';
import Type, { type TObject } from 'typebox';
import { fieldsParameter, NamesParameter, readFields, readNames } from '../read-list.ts';
import { type Call, jsonType, type Route } from '../route.ts';
import type { IsWanted, ReadBytes, Selection } from './data-access.ts';

export interface LiveCollection<Field extends string> {
  readonly path: string;
  readonly tag: string;
  /** Such as `measurement`. */
  readonly one: string;
  readonly schema: TObject;
  readonly fields: readonly Field[];
  /** Equal texts mean equal answers; without it a client can keep none. */
  readonly version?: () => string;
  readonly read: (selection: Selection<Field>, isWanted: IsWanted) => ReadBytes | string;
  readonly readOne: (name: string) => Buffer | string;
}

export function collectionRoutes<Field extends string>(options: LiveCollection<Field>): Route[] {
  const { path, tag, one, schema, fields, version, read } = options;
  const selectionOf = ({ names, fields: words }: Call['query']): Selection<Field> => ({
    names: readNames(names as string | undefined),
    fields: readFields(words as string | undefined, fields),
  });
  const title = one.replaceAll(/(?:^| )\w/g, (begin) => begin.trim().toUpperCase());
  return [
    {
      method: 'GET',
      path,
      id: `list${title}s`,
      tag,
      summary: `All ${one}s, or those that are named; unknown names are left out`,
      query: Type.Object({ names: NamesParameter, fields: fieldsParameter(fields) }, { additionalProperties: false }),
      answer: {
        status: 200,
        description: 'From name to object.',
        type: jsonType,
        schema: partial(schema),
        ...(version && {
          version: (query) => {
            selectionOf(query);
            return version();
          },
        }),
      },
      problems: ['too-many-names'],
      handle: ({ query, signal }) => read(selectionOf(query), whileOpen(signal)),
    },
    oneRoute(options, path, `get${title}`),
  ];
}

export function oneRoute<Field extends string>(
  { tag, one, schema, readOne }: LiveCollection<Field>,
  path: string,
  id: string,
): Route {
  return {
    method: 'GET',
    path: `${path}/:name`,
    id,
    tag,
    summary: `One ${one}`,
    names: `the ${one}`,
    answer: { status: 200, description: `The ${one}.`, type: jsonType, schema },
    problems: ['unknown-object'],
    handle: ({ name }) => readOne(name),
  };
}

/** Most answers are there before anybody asks whether they are wanted. */
function whileOpen(signal: Call['signal']): IsWanted {
  let known: AbortSignal | undefined;
  return () => {
    known ??= signal();
    return !known.aborted;
  };
}

/** With `fields`, an object has those alone. */
function partial(schema: TObject): TObject {
  return Collection(
    Type.Partial(schema, { title: `Some${(schema as { title?: string }).title}` }) as unknown as TObject,
  ) as unknown as TObject;
}

/** What a write of a person can be answered with, beside its own problems. */
export const ofNamedWrites: readonly ProblemName[] = ['invalid-name', 'unknown-object', 'storage-failed'];
