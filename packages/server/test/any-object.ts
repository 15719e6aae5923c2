// Arbitrary objects of every family, for property tests: each fits its schema and uses what the schema allows.
import { type Family, families, familyNames, isUnset } from '@telltale/schema';
import fc from 'fast-check';
import type { TObject } from 'typebox';
import { type Content, emptyContent } from '../src/cfgdb/content.ts';
import { readObject } from '../src/cfgdb/read-objects.ts';

export type AnyObject = Record<string, unknown> & { name: string };

/** Names that mean something to JavaScript are among them. */
export const anyName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a', 'b', '0', '10', '9'),
  fc.string({ unit: fc.constantFrom(...'abzABZ019_'), minLength: 1, maxLength: 64 }),
);

/** Any text that can be stored: of whole characters, without U+0000. */
const anyText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '"',
    '\\',
    '\\u0000',
    '\n{"name":"x"}\n',
    '\u2028',
    '\ud83d\ude00',
    '\ufeff',
    "';--",
    '80.5',
    '007',
    '1,5',
    '1e5',
    '-1',
    '=1+1',
    '+x',
    '@a',
    "'",
    "''x",
    'TRUE',
    '\r',
    '\r\n',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\u0000', '')),
);

const anyKey = fc.oneof(
  anyName,
  anyText.map((text) => text || ' '),
);
const anyMap = fc.array(fc.tuple(anyKey, anyText), { maxLength: 4 }).map(Object.fromEntries);

/** As they are after cleaning. */
const anySvg = anyText.map((text) => {
  const shown = text.replaceAll(/[^ -~]/g, '').replaceAll(/[&<>]/g, '');
  const title = shown === '' ? '<title/>' : `<title>${shown}</title>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">\n${title}\n</svg>`;
});

interface Field {
  readonly type?: string;
  readonly items?: { readonly properties: Readonly<Record<string, Field>>; readonly required?: string[] };
  readonly minLength?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

function anyValue(
  field: string,
  { type, enum: words, pattern, minimum, maximum, ...more }: Field,
): fc.Arbitrary<unknown> {
  if (field === 'name' && pattern !== undefined) return anyName;
  if (field === 'svg') return anySvg;
  if (words !== undefined) return fc.constantFrom(...words);
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  if (type === 'boolean') return fc.boolean();
  if (type === 'object') return anyMap;
  if (type === 'array') return fc.array(anyItem(more.items ?? { properties: {} }), { maxLength: 3 });
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  if (more.minLength === 1) return anyName;
  if (type !== 'integer') return anyText.filter((text) => !isUnset(field, text));
  const limits = { min: minimum ?? -Number.MAX_SAFE_INTEGER, max: maximum ?? Number.MAX_SAFE_INTEGER };
  return fc.oneof(
    fc.constantFrom(limits.min, limits.max),
    fc.maxSafeInteger().map((n) => clamp(n, limits)),
  );
}

function anyItem({ properties, required = [] }: NonNullable<Field['items']>): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([field, type]) => [field, anyValue(field, type)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value));
}

export function anyObject(family: Family): fc.Arbitrary<AnyObject> {
  const { properties, required }: TObject = families[family];
  const arbitraries = Object.entries(properties as Record<string, Field>).map(
    ([field, type]): [string, fc.Arbitrary<unknown>] => [field, anyValue(field, type)],
  );
  const record: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(arbitraries);
  return fc.record(record, { requiredKeys: required ?? [] }) as fc.Arbitrary<AnyObject>;
}

/** Whole configurations, each with a few objects. */
export function anyContent(): fc.Arbitrary<Content> {
  const lists = familyNames.map((family) => fc.array(anyObject(family), { maxLength: 4 }));
  return fc.tuple(...lists).map((objects) => {
    const content = emptyContent();
    for (const [at, family] of familyNames.entries()) {
      for (const object of objects[at] ?? []) {
        const stored = readObject(family, object.name, object, '', []);
        if (stored !== undefined) content[family].set(object.name, stored.text);
      }
    }
    return content;
  });
}

/** Whether two values are the same JSON: the order of keys does not count, and `__proto__` is a key. */
export function sameJson(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${sorted(inner)}`);
  return Array.isArray(value) ? `[${value.map(sorted).join(',')}]` : `{${entries.sort().join(',')}}`;
}
