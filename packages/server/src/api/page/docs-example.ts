// Examples that fit their schema: of bodies, answers and parameters; of the running plant where it has such an object.
import type { ExampleObject, ExamplePlant } from '../../operations/index.ts';
import {
  alternatives,
  itemOf,
  type JsonSchema,
  mapOf,
  referredName,
  resolve,
  type Schemas,
  tupleOf,
} from './json-schema.ts';

const madeUp: ReadonlyMap<string, ExampleObject> = new Map(
  Object.entries({
    alarms: 'level_high',
    commands: 'pump_speed',
    measurements: 'level',
    connectors: 'plant',
    providers: 'scada',
    certificates: 'ab'.repeat(32),
    'function-modules': 'dosing',
    pictures: 'overview',
    trends: 'tanks',
    stacks: 'simulator',
  }).map(([segment, name]) => [segment, { name }]),
);

/** At the default address, with made-up names. */
export const madeUpPlant: ExamplePlant = { base: 'http://127.0.0.1:8080', objects: new Map() };

/** The value in the examples of schemas: it stands for that of the object. */
const anyValue = 'd21.5';

/** Candidates by the name of the field; the first that fits the schema is taken. */
const known = new Map<string, readonly unknown[]>([
  ['datatype', ['d']],
  ['raw-datatype', ['d']],
  ['severity', [1]],
  ['stackName', ['simulator']],
  ['termToKill', [5000]],
  ['queryTimeout', [5000]],
  ['svg', ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"/>']],
  ['mode', [0o100755]],
  ['uid', [1000]],
  ['author', ['local']],
  ['family', ['measurements']],
  ['change', ['changed']],
  ['running', [true]],
  ['vtq', ['d21.5', 192]],
  ['vt', ['d21.5']],
  ['eu-range', ['d0', 'd100']],
  ['t_since', [-3600]],
  ['t_until', [0]],
  ['resample', [60]],
  ['limit', [1000]],
  ['quality', [192]],
  ['valid-for', [60]],
  ['columns', ['name']],
  ['value', [anyValue]],
]);

/** Optional fields whose values come from an earlier answer. */
const ofAnswers = new Set(['path', 'cursor']);

interface ExampleContext {
  readonly schemas: Schemas;
  readonly plant: ExamplePlant;
  readonly object: ExampleObject;
  readonly field?: string;
  /** The references on the way, so that a schema that contains itself ends. */
  readonly within?: readonly string[];
}

export function exampleObject(path: string, { objects }: ExamplePlant): ExampleObject {
  const families = path.replace('/command/', '/commands/').split('/');
  const segment = families.findLast((each) => madeUp.has(each)) ?? 'measurements';
  return objects.get(segment) ?? (madeUp.get(segment) as ExampleObject);
}

/** An object has its required fields, and at least two where there are two. */
export function exampleOf(schema: JsonSchema, place: ExampleContext): unknown {
  const reference = referredName(schema);
  if (reference !== undefined) {
    const within = place.within ?? [];
    if (within.includes(reference)) return null;
    if (reference.endsWith('Body') && place.object.configured !== undefined) return place.object.configured;
    return exampleOf(resolve(schema, place.schemas), { ...place, within: [...within, reference] });
  }
  if ('const' in schema) return schema.const;
  const [first] = alternatives(schema);
  if (first === undefined) return null;
  if (first !== schema) return exampleOf(first, place);
  const { field = 'name', object } = place;
  const word = field === 'name' || field === 'names' ? [object.name] : (known.get(field) ?? []);
  const candidates = [...word, ...(schema.examples ?? []), schema.default, ...(schema.enum ?? [])];
  const found = candidates.find((candidate) => candidate !== undefined && fits(candidate, schema));
  return found === undefined ? made(schema, place) : withValueOf(found, object);
}

function withValueOf(example: unknown, object: ExampleObject): unknown {
  if (Array.isArray(example)) return example.map((member) => withValueOf(member, object));
  return example === anyValue ? (object.value ?? anyValue) : example;
}

function made(schema: JsonSchema, place: ExampleContext): unknown {
  switch (schema.type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return fits(1, schema) ? 1 : (schema.minimum ?? schema.maximum ?? 0);
    case 'string':
      return ['text', place.object.name, '1', 'a'].find((text) => fits(text, schema)) ?? '';
    case 'array':
      return madeList(schema, place);
    case 'object':
      return madeObject(schema, place);
    default:
      return 'text';
  }
}

function madeList(schema: JsonSchema, place: ExampleContext): unknown[] {
  const item = itemOf(schema);
  return (tupleOf(schema) ?? (item === undefined ? [] : [item])).map((member) => exampleOf(member, place));
}

function madeObject(schema: JsonSchema, place: ExampleContext): Record<string, unknown> {
  const map = mapOf(schema);
  if (map !== undefined) {
    const { name } = place.object;
    const key = fits(name, { type: 'string', pattern: map.keys }) ? name : 'key';
    return { [key]: exampleOf(map.values, { ...place, field: 'name' }) };
  }
  const { properties = {}, required = [] } = schema;
  const fields = Object.keys(properties);
  const optional = fields
    .filter((field) => !required.includes(field) && !ofAnswers.has(field))
    .slice(0, Math.max(0, 2 - required.length));
  const family = properties.family?.const;
  const object = typeof family === 'string' ? exampleObject(family, place.plant) : place.object;
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([field]) => required.includes(field) || optional.includes(field))
      .map(([field, type]) => [field, exampleOf(type, { ...place, object, field })]),
  );
}

/** Whether a single value, a text or a number, is one of the schema. */
function fits(value: unknown, schema: JsonSchema): boolean {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return typeof value === 'number' && inRange(value, schema);
    case 'string':
      return typeof value === 'string' && textFits(value, schema);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return true;
  }
}

function inRange(value: number, { minimum = value, maximum = value, multipleOf = 1, ...schema }: JsonSchema): boolean {
  const { exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema;
  if (schema.type === 'integer' && !Number.isInteger(value)) return false;
  if (value < minimum || value > maximum || value <= exclusiveMinimum || value >= exclusiveMaximum) return false;
  return schema.type === 'number' || value % multipleOf === 0;
}

function textFits(value: string, { pattern = '', minLength = 0, maxLength = Infinity }: JsonSchema): boolean {
  return value.length >= minLength && value.length <= maxLength && new RegExp(pattern, 'u').test(value);
}
