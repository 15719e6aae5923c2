// JSON values by the JSON Schemas of an OpenAPI document, as fast-check arbitraries: those that fit, those that nearly
// fit, and bodies that no schema speaks of.
import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: Schema[];
  readonly enum?: Json[];
  readonly const?: Json;
  readonly type?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Record<string, Schema>;
  readonly patternProperties?: Record<string, Schema>;
  readonly required?: string[];
  readonly items?: Schema;
  readonly prefixItems?: Schema[];
  readonly [keyword: string]: unknown;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** Few, so that requests meet each other's objects. */
export const likelyNames = [
  'level',
  'flow',
  'pump_1',
  'plc',
  'simulator',
  'A',
  '0',
  '__proto__',
  'constructor',
  'toString',
];

/** Texts that mean something to one field or another. */
const likelyTexts = ['90s', '1h30m', ...likelyNames, 'sine(low=0, high=9)', '0', '100', '-1.5', '1%', 'bar', 'bin/run'];

/** Fit `"type": "string"`, and may yet be refused: they cannot be stored. */
const unstorableTexts = ['\0', 'a\0b', '\ud800', 'x\udfff'];

const anyText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...likelyTexts) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', '0')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\u2028', '\ufeff', '\r\n', '\\u0000', '"', "');--", 'é'.repeat(3000)),
  },
);

/** How large numbers, odd numbers and odd texts are written; JSON.parse reads each. */
const oddFragments = ['1e999', '-1e999', '1e-999', '9007199254740993', '-0', '1.5', '1E2', '"\\ud83d"', '"\\u0000"'];

const odd: readonly Json[] = [null, true, 0, -1, 2 ** 53, '', 'x'.repeat(70), '__proto__', [], {}, [[]], [null]];

/** Every value fits the schema; texts are well-formed unless `storable` is false. */
export function fitting(schema: Schema, schemas: Schemas, storable = true): fc.Arbitrary<Json> {
  const inner = (each: Schema) => fitting(each, schemas, storable);
  if (schema.$ref !== undefined) return inner(referred(schema.$ref, schemas));
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(inner));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integerOf(schema);
    case 'number':
      return fc.oneof(fc.constantFrom(0.05, 1, 1000.5), fc.double({ min: 0.001, max: 1e9, noNaN: true }));
    case 'string':
      return textOf(schema, storable);
    case 'array':
      if (schema.prefixItems !== undefined) return fc.tuple(...schema.prefixItems.map(inner));
      return fc.array(inner(schema.items ?? { type: 'null' }), { maxLength: 8 });
    case 'object':
      return objectOf(schema, inner, storable);
    case undefined:
      return fc.constantFrom(...odd); // anything
    default:
      throw new Error(`the document has a schema that nobody taught this file: ${JSON.stringify(schema)}`);
  }
}

export function referred($ref: string, schemas: Schemas): Schema {
  const schema = schemas[$ref.slice('#/components/schemas/'.length)];
  if (schema === undefined) throw new Error(`the document has no ${$ref}`);
  return schema;
}

function integerOf({
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
}: Schema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 60) }),
    fc.integer({ min: minimum, max: maximum }),
  );
}

function textOf({ pattern }: Schema, storable: boolean): fc.Arbitrary<string> {
  if (pattern === undefined) {
    return storable ? anyText : fc.oneof({ weight: 30, arbitrary: anyText }, fc.constantFrom(...unstorableTexts));
  }
  const form = new RegExp(pattern);
  const likely = likelyTexts.filter((text) => form.test(text));
  const matching = fc.stringMatching(form, { size: 'small' });
  return likely.length === 0 ? matching : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...likely) }, matching);
}

function objectOf(
  { properties = {}, patternProperties = {}, required = [] }: Schema,
  inner: (schema: Schema) => fc.Arbitrary<Json>,
  storable: boolean,
): fc.Arbitrary<{ [key: string]: Json }> {
  const fields = Object.entries(properties).map(([field, schema]) => {
    const value = inner(schema).map((each): [string, Json][] => [[field, each]]);
    return required.includes(field) ? value : fc.oneof(fc.constant([]), value);
  });
  const others = Object.entries(patternProperties).map(([pattern, schema]) =>
    fc.array(fc.tuple(textOf({ pattern }, storable), inner(schema)), { maxLength: 3 }),
  );
  return fc.tuple(...fields, ...others).map((entries) => Object.fromEntries(entries.flat()));
}

/** Makes a body of a value that fits. */
export type Writer = (json: Json) => Uint8Array;

const plainly: Writer = (json) => Buffer.from(JSON.stringify(json));

/** One thing about the value is changed. */
const nearly: fc.Arbitrary<Writer> = fc
  .tuple(
    fc.nat(),
    fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
    fc.oneof(
      fc.constantFrom(...odd).map((each) => JSON.stringify(each)),
      fc.constantFrom(...oddFragments),
      fc.constantFrom(1, 7, 8, 9, 40).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
    ),
  )
  .map(([at, what, text]) => (json) => {
    const places = placesIn(json);
    return Buffer.from(writeChanged(json, places[at % places.length] ?? [], what, text));
  });

/** The way to every part of a value, the whole first. */
function placesIn(json: Json): string[][] {
  const places: string[][] = [[]];
  if (typeof json === 'object' && json !== null) {
    for (const [key, value] of Object.entries(json)) {
      for (const place of placesIn(value)) places.push([key, ...place]);
    }
  }
  return places;
}

function writeChanged(json: Json, [key, ...rest]: string[], what: string, text: string): string {
  if (key === undefined || typeof json !== 'object' || json === null) return text;
  const parts: string[] = [];
  const isList = Array.isArray(json);
  const write = (name: string, value: string) => parts.push(isList ? value : `${JSON.stringify(name)}:${value}`);
  for (const [name, value] of Object.entries(json)) {
    if (name !== key) write(name, JSON.stringify(value));
    else if (rest.length > 0) write(name, writeChanged(value, rest, what, text));
    else if (what === 'replace') write(name, text);
    else if (what !== 'remove') {
      write(name, JSON.stringify(value));
      write(what === 'add' ? `${name}x` : name, text);
    }
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
}

const tooDeep: fc.Arbitrary<Writer> = fc
  .tuple(fc.constantFrom(9, 100, 50_000), fc.constantFrom('[', '{"a":', '{"operations":['), fc.boolean())
  .map(
    ([depth, opening, isClosed]) =>
      () =>
        Buffer.from(opening.repeat(depth) + (isClosed ? ']'.repeat(depth) : '')),
  );

/** Of an object, with so many keys more. */
const tooWide: fc.Arbitrary<Writer> = fc.constantFrom(21, 9000, 10_001).map((count) => (json) => {
  const more = Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join();
  const text = JSON.stringify(json);
  return Buffer.from(text.startsWith('{"') ? `{${more},${text.slice(1)}` : `[${text},{${more}}]`);
});

/** Each key of an object twice. */
const doubled: Writer = (json) => {
  const text = JSON.stringify(json);
  return Buffer.from(text.startsWith('{"') ? `${text.slice(0, -1)},${text.slice(1)}` : `{"a":${text},"\\u0061":0}`);
};

const cutOff: fc.Arbitrary<Writer> = fc.double({ min: 0, max: 1, noNaN: true }).map((share) => (json) => {
  const whole = plainly(json);
  return whole.subarray(0, whole.length * share);
});

const badBytes = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0]];

const notUtf8: fc.Arbitrary<Writer> = fc.tuple(fc.nat(), fc.constantFrom(...badBytes)).map(([at, bytes]) => (json) => {
  const whole = plainly(json);
  const from = at % (whole.length + 1);
  return Buffer.concat([whole.subarray(0, from), Buffer.from(bytes), whole.subarray(from)]);
});

const words = ['', ' ', 'null', 'true', '0', '""', '[]', '{}', 'NaN', 'undefined', "{'a':1}", '\ufeff{}', '{}{}', '//'];

const another: fc.Arbitrary<Writer> = fc
  .oneof(
    fc.constantFrom(...words).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 100 }),
  )
  .map((bytes) => () => bytes);

export const anyWriter: fc.Arbitrary<Writer> = fc.oneof(
  { weight: 20, arbitrary: fc.constant(plainly) },
  { weight: 10, arbitrary: nearly },
  { weight: 4, arbitrary: fc.oneof(tooDeep, tooWide, fc.constant(doubled), cutOff, notUtf8, another) },
);
