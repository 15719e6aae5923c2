// The three-way rule of generating as a model on plain maps: whatever types and people do, the database agrees with it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type GenerateResult, ProblemError, parseJson } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Configuration } from './configuration.ts';
import { type GenerateOptions, generate } from './generate.ts';

const folder = temporaryFolder(suiteCleanup());
const plain: GenerateOptions = { dryRun: false, render: false, deleteMissing: false, overwrite: false };
let files = 0;

/** Undefined where names are taken. */
function run(configuration: Configuration, request: object, options: GenerateOptions): GenerateResult | undefined {
  const steps = generate(configuration, Buffer.from(JSON.stringify(request)), options, 'ann');
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return JSON.parse(Buffer.from(value).toString());
    }
  } catch (error) {
    if (error instanceof ProblemError && error.problem === 'name-taken') return undefined;
    throw error;
  }
}

/** An object as the model has it: from field, or key of `properties`, to value. */
type Flat = Readonly<Record<string, string>>;

const toObject = (flat: Flat) => {
  const properties = Object.entries(flat).filter(([field]) => field.startsWith('properties.'));
  const fields = Object.entries(flat).filter(([field]) => !field.startsWith('properties.'));
  const map = Object.fromEntries(properties.map(([field, value]) => [field.slice(11), value]));
  return { ...Object.fromEntries(fields), ...(properties.length > 0 && { properties: map }) };
};

const equal = (a: Flat, b: Flat) =>
  JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

/** The rule, on plain maps. */
class Model {
  content = new Map<string, Flat>();
  made = new Map<string, Flat>();

  /** False: refused, and nothing has changed. */
  generate(wanted: ReadonlyMap<string, Flat>, { overwrite, deleteMissing }: GenerateOptions): boolean {
    const isTaken = ([name, type]: readonly [string, Flat]) =>
      !this.made.has(name) && this.content.has(name) && !equal(this.content.get(name) as Flat, type);
    if (!overwrite && [...wanted].some(isTaken)) return false;
    for (const [name, type] of wanted) {
      const [before, present] = [this.made.get(name), this.content.get(name)];
      if (before !== undefined && present === undefined && !overwrite) continue;
      this.content.set(name, overwrite || !before || !present ? type : merged(before, present, type));
      this.made.set(name, type);
    }
    for (const [name, before] of this.made) {
      const present = this.content.get(name);
      if (wanted.has(name)) continue;
      const isDeleted = deleteMissing && present !== undefined && (overwrite || equal(present, before));
      if (present === undefined || isDeleted) this.made.delete(name);
      if (isDeleted) this.content.delete(name);
    }
    return true;
  }
}

function merged(before: Flat, present: Flat, type: Flat): Flat {
  const fields = new Set([...Object.keys(before), ...Object.keys(present), ...Object.keys(type)]);
  const chosen = Array.from(fields, (field) => {
    const isByHand = present[field] !== before[field];
    return [field, isByHand ? present[field] : type[field]] as const;
  });
  return Object.fromEntries(chosen.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const anyFields = fc.record(
  {
    datatype: fc.constantFrom('d', 'i'),
    eu: fc.constantFrom('m', 's'),
    description: fc.constantFrom('1', '2', '3'),
    'properties.a': fc.constantFrom('1', '2'),
    'properties.b': fc.constantFrom('1', '2'),
  },
  { requiredKeys: ['datatype'] },
);
const anyName = fc.constantFrom('x_a', 'x_b', 'y_a', 'y_b');
const anyStep = fc.oneof(
  fc.record({
    kind: fc.constant('generate' as const),
    objects: fc.dictionary(fc.constantFrom('a', 'b'), anyFields, { minKeys: 1 }),
    instances: fc.subarray(['x', 'y']),
    overwrite: fc.boolean(),
    deleteMissing: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('put' as const), name: anyName, fields: anyFields }),
  fc.record({ kind: fc.constant('delete' as const), name: anyName }),
  fc.record({ kind: fc.constant('open again' as const) }),
);

test('whatever types and people do: people keep what they changed, all else is as the type says, and again changes nothing', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 12 }), (steps) => {
      const path = join(folder, `${++files}.sqlite`);
      const open = () => new Configuration({ path, stacks: [], now: () => 1_700_000_000_000_000 });
      let configuration = open();
      const model = new Model();
      for (const step of steps) {
        if (step.kind === 'put') {
          const body = Buffer.from(JSON.stringify({ name: step.name, ...toObject(step.fields) }));
          configuration.put('measurements', step.name, body, 'bob');
          model.content.set(step.name, step.fields);
        } else if (step.kind === 'delete') {
          if (configuration.has('measurements', step.name)) configuration.delete('measurements', step.name, 'bob');
          model.content.delete(step.name);
        } else if (step.kind === 'open again') {
          configuration.close();
          configuration = open();
          assert.deepEqual(configuration.missing(), []);
        } else {
          const { objects, instances, overwrite, deleteMissing } = step;
          const measurements = Object.entries(objects).map(([key, flat]) => [`{id}_${key}`, toObject(flat)]);
          const type = {
            name: 't',
            parameters: { id: {} },
            objects: { measurements: Object.fromEntries(measurements) },
          };
          const request = { type, instances: instances.map((id) => ({ id })) };
          const options = { ...plain, overwrite, deleteMissing };
          const wanted = new Map(
            instances.flatMap((id) => Object.entries(objects).map(([key, flat]) => [`${id}_${key}`, flat] as const)),
          );
          const result = run(configuration, request, options);
          assert.equal(result !== undefined, model.generate(wanted, options));
          if (result !== undefined) {
            const again = run(configuration, request, options);
            assert.deepEqual([again?.added, again?.changed, again?.removed], [0, 0, 0]);
          }
        }
        const present = Object.fromEntries(
          Array.from(configuration.objects('measurements'), ([name, text]) => [name, parseJson(text)]),
        );
        const expected = Object.fromEntries(
          Array.from(model.content, ([name, flat]) => [name, { name, ...toObject(flat) }]),
        );
        assert.deepEqual(present, expected);
      }
      configuration.close();
    }),
    { numRuns: 60 },
  );
});
