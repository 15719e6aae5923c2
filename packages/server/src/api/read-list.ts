// Lists in a query: names and fields, comma-separated.
import { type Fault, isIdentifier, ProblemError } from '@telltale/schema';
import Type from 'typebox';

/** As many as a URL of the length that the service takes can list. */
export const maxNames = 1000;

export const NamesParameter = Type.Optional(
  Type.String({ description: `Only these: at most ${maxNames} names, comma-separated.` }),
);

export function readNames(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names = text === '' ? [] : text.split(',');
  if (names.length > maxNames) {
    throw new ProblemError('too-many-names', `names lists ${names.length} names; at most ${maxNames}.`);
  }
  refuseSome('names', names, isIdentifier, () => 'is not a name');
  return names;
}

export const fieldsParameter = (fields: readonly string[]) =>
  Type.Optional(
    Type.String({ description: `Only these fields of each object, comma-separated: ${fields.join(', ')}.` }),
  );

export function readFields<Field extends string>(
  text: string | undefined,
  known: readonly Field[],
): readonly Field[] | undefined {
  if (text === undefined) return undefined;
  const fields = text === '' ? [] : text.split(',');
  refuseSome(
    'fields',
    fields,
    (field) => (known as readonly string[]).includes(field),
    () => `is not a field; known are ${known.join(', ')}`,
  );
  return fields as Field[];
}

/** Of the object, where `fields` is given, these alone. */
export function picked(object: object, fields: readonly string[] | undefined): object {
  if (fields === undefined) return object;
  return Object.fromEntries(Object.entries(object).filter(([field]) => fields.includes(field)));
}

function refuseSome(path: string, items: string[], isRight: (item: string) => boolean, why: () => string): void {
  const faults = items
    .filter((item) => !isRight(item))
    .map((item): Fault => ({ path, message: `${JSON.stringify(item.slice(0, 80))} ${why()}` }));
  if (faults.length > 0) throw new ProblemError('invalid-query', `${faults[0]?.message}.`, faults);
}
