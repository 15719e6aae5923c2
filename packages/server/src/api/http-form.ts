// How the input of an operation is spread over an HTTP request: path, query, body.
import { type DeclaredOperation, type HttpForm, inputsInBody } from '@telltale/schema';
import Type, { type TObject, type TSchema } from 'typebox';
import type { ListItem } from './read-list.ts';

/** Inputs that are neither in the path nor in the body are in the query, lists as texts. */
export function queryOf(http: HttpForm, input: DeclaredOperation['input']): TObject {
  const inBody = inputsInBody(http);
  const parameters = Object.entries(input).filter(([name]) => !isInPath(http.path, name) && !inBody.includes(name));
  return Type.Object(Object.fromEntries(parameters.map(([name, schema]) => [name, queryType(schema)])), {
    additionalProperties: false,
  });
}

/** Parameters that are lists, comma-separated: the form of their items. */
export function listsOf(input: DeclaredOperation['input']): ReadonlyMap<string, ListItem> {
  const lists = Object.entries(input).filter((entry): entry is [string, List] => isList(entry[1]));
  return new Map(lists.map(([name, { items }]) => [name, items]));
}

function queryType(schema: TSchema): TSchema {
  if (!isList(schema)) return schema;
  const { description, items } = schema;
  const examples = items.enum && { examples: [items.enum.slice(0, 2).join()] };
  return Type.Optional(Type.String({ description, ...examples }));
}

type List = TSchema & {
  readonly description: string;
  readonly items: TSchema & ListItem;
};

function isList(schema: TSchema): schema is List {
  return (schema as { type?: unknown }).type === 'array';
}

export function isInPath(path: string, name: string): boolean {
  return path.split('/').includes(`:${name}`);
}
