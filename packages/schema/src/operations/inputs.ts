// Inputs and reads that many operations have in common.
import Type, { type TObject } from 'typebox';
import { Collection, Names } from '../configuration.ts';
import { Identifier } from '../identifier.ts';
import { type ChannelForm, declare, json, type Resource } from './operation.ts';

/** As many as a URL of the length that the service takes can list. */
export const maxNames = 1000;

export const name = { name: Identifier };

export const names = {
  names: Type.Optional(
    Type.Array(Type.String(), { description: `Only these: at most ${maxNames} names, comma-separated.` }),
  ),
};

export const fields = <const Field extends string>(words: readonly Field[]) => ({
  fields: Type.Optional(
    Type.Array(Type.Enum([...words], { type: 'string' }), {
      description: `Only these fields of each object, comma-separated: ${words.join(', ')}.`,
    }),
  ),
});

/** With `fields`, an object has those alone. */
export const someOf = (schema: TObject): TObject =>
  Collection(
    Type.Partial(schema, { title: `Some${(schema as { title?: string }).title}` }) as unknown as TObject,
  ) as unknown as TObject;

/** Where the objects of a kind are, and what they are called. */
interface Read<S extends TObject> {
  readonly tag: string;
  readonly resource: Resource;
  readonly path: string;
  readonly one: string;
  readonly schema: S;
}

export const listNamesOf = (tag: string, resource: Resource, path: string, summary: string) =>
  declare({
    tag,
    summary,
    effect: { action: 'read', resource },
    audited: false,
    input: {},
    problems: [],
    http: { method: 'GET', path, answer: json('The names.', Names) },
  });

export const list = <
  S extends TObject,
  const Field extends string,
  const More extends object,
  const Form extends ChannelForm,
>(
  { tag, resource, path, one, schema }: Read<S>,
  words: readonly Field[],
  more: More,
  form: Form,
) =>
  declare({
    tag,
    summary: `List all ${one}s, or the named ones; unknown names are left out`,
    effect: { action: 'read', resource },
    audited: false,
    input: { ...names, ...fields(words) },
    problems: ['too-many-names'],
    http: { method: 'GET', path, answer: { ...json('From name to object.', someOf(schema)), ...more } },
    channel: [form],
  });

export const get = <S extends TObject>({ tag, resource, path, one, schema }: Read<S>) =>
  declare({
    tag,
    summary: `Get one ${one}`,
    effect: { action: 'read', resource },
    audited: false,
    input: name,
    problems: ['unknown-object'],
    http: { method: 'GET', path, names: `the ${one}`, answer: json(`The ${one}.`, schema) },
  });
