// Inputs and reads that many operations have in common.
import Type, { type TObject, type TSchema } from 'typebox';
import { Collection, Names } from '../configuration.ts';
import { Comment } from '../revision.ts';
import { Identifier, NameOrPattern } from '../wire-schemas.ts';
import { selection, selectionOfFew, some } from './channel-fields.ts';
import type { LiveKind } from './live-kinds.ts';
import { declare, json, type Needed, reads, type Subject, type WatchKind } from './operation.ts';

export const name = { name: Identifier };

export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Of what renders: the service may want a reason, or a signature. */
export const ofRendering = ['render-refused', 'reason-needed', 'signature-needed'] as const;

/** Of changes of the configuration. */
export const rendering = {
  render: flag('Render on success; if rendering fails, nothing is changed.'),
  comment: Type.Optional(Comment),
};

export const names = {
  names: Type.Optional(Type.Array(Type.String(), { description: 'Only these, comma-separated.' })),
};

/** Of live points and alarms, and of their archive, which are found by patterns as well. */
export const namesOrPatterns = {
  names: Type.Optional(
    Type.Array(NameOrPattern, {
      description: 'Only these: names, or patterns such as pump*, comma-separated.',
    }),
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

export const listNamesOf = (subject: Subject, permission: Needed, path: string, which: string) =>
  declare({
    ...reads(subject, permission),
    summary: `List the names of ${which}, sorted`,
    input: {},
    problems: [],
    http: { method: 'GET', path, answer: json('The names.', Names) },
  });

/** There may be very many: HTTP clients may cache the answer, and requests of the channel are answered in order. */
export const listMany = <
  Key extends WatchKind,
  const Request extends string,
  S extends TObject,
  const Field extends string,
  Criteria extends Record<string, TSchema>,
>(
  kind: LiveKind<Key>,
  path: string,
  request: Request,
  schema: S,
  words: readonly Field[],
  criteria: Criteria,
) => {
  const { http, channel, ...listed } = list(kind, path, request, schema, words);
  return declare({
    ...listed,
    summary: `List all ${kind.one}s, or those that are selected; unknown names are left out`,
    input: { ...listed.input, ...namesOrPatterns, ...criteria },
    http: { ...http, answer: { ...http.answer, isVersioned: true } },
    channel: [{ ...channel[0], fields: { ...selection(words), ...criteria }, isInOrder: true }],
  });
};

export const list = <
  Key extends WatchKind,
  const Request extends string,
  S extends TObject,
  const Field extends string,
>(
  kind: LiveKind<Key>,
  path: string,
  request: Request,
  schema: S,
  words: readonly Field[],
) =>
  declare({
    ...reads(kind, 'view'),
    summary: `List all ${kind.one}s, or the named ones; unknown names are left out`,
    input: { ...names, ...fields(words) },
    problems: [],
    http: { method: 'GET', path, answer: json('From name to object.', someOf(schema)) },
    channel: [
      {
        request,
        summary: `Reads ${kind.one}s, as GET /${kind.resource}/ does.`,
        fields: selectionOfFew(words),
        answer: { [kind.field]: some(schema) } as Record<Key, ReturnType<typeof some<S>>>,
      },
    ],
  });

export const get = <S extends TObject>(kind: LiveKind, path: string, schema: S) =>
  declare({
    ...reads(kind, 'view'),
    summary: `Get one ${kind.one}`,
    input: name,
    problems: ['unknown-object'],
    http: { method: 'GET', path, names: `the ${kind.one}`, answer: json(`The ${kind.one}.`, schema) },
  });
