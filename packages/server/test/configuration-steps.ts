// Random steps for the configuration database and its model: a few names and many references among them, so that
// objects meet, dangle, and come back.
import { type Family, familyNames } from '@telltale/schema';
import fc from 'fast-check';
import { keyOf, type ModelObject, type ModelOperation, modelStack } from './configuration-model.ts';

export type Step = { readonly author: string } & (
  | { readonly kind: 'put'; readonly family: Family; readonly name: string; readonly object: ModelObject }
  | { readonly kind: 'delete'; readonly family: Family; readonly name: string }
  | {
      readonly kind: 'transaction';
      readonly operations: ModelOperation[];
      readonly commit: boolean;
      readonly render: boolean;
    }
  | { readonly kind: 'render'; readonly force: boolean }
  | { readonly kind: 'restore'; readonly at: number; readonly render: boolean }
  | { readonly kind: 'replace'; readonly objects: Put[]; readonly render: boolean }
  | { readonly kind: 'reopen' }
);
export type Put = { readonly family: Family; readonly name: string; readonly object: ModelObject };

const names = ['a', '__proto__', 'constructor'];
const name = fc.constantFrom(...names);
const family = fc.constantFrom(...familyNames);
const author = fc.constantFrom('ann', 'bob', 'demo');
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });
const map = fc.dictionary(fc.constantFrom('b', 'a', '"', '\\', '__proto__', '10', '9'), fc.constantFrom('', '1'), {
  maxKeys: 3,
});

/** As they are after cleaning. */
const drawn = ['', '\n<g/>\n'].map((inner) =>
  inner === '' ? '<svg xmlns="http://www.w3.org/2000/svg"/>' : `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`,
);

/** What an object of the family has beside its name; references dangle now and then. */
const fields: Record<Family, fc.Arbitrary<object>> = {
  alarms: fc
    .record({ severity: fc.nat(2), trgMeasurement: sometimes(name), properties: sometimes(map) })
    .map((object) => (object.trgMeasurement === null ? object : { ...object, trgOperator: 'gt', trgRefValue: '1' })),
  commands: fc.record({
    datatype: fc.constantFrom('i', 'd'),
    leader: sometimes(name),
    enabled: sometimes(fc.boolean()),
  }),
  measurements: fc.record({
    datatype: fc.constant('d'),
    connectorName: sometimes(name),
    providerAddresses: fc.constant(null),
    archPeriod: sometimes(fc.nat(2)),
  }),
  connectors: fc.record({
    stackName: fc.oneof({ weight: 9, arbitrary: fc.constant(modelStack) }, sometimes(fc.constant('other'))),
    vars: sometimes(map),
  }),
  providers: fc.record({ stackName: fc.constant(modelStack), properties: sometimes(map) }),
  'function-modules': fc.record({ termToKill: fc.nat(2), queryTimeout: fc.constant(1), env: sometimes(map) }),
  pictures: fc.record({ svg: fc.constantFrom(...drawn), parameters: sometimes(map) }),
  trends: fc.record({
    pens: fc.array(fc.record({ kind: fc.constantFrom('measurements', 'alarms'), name }), { maxLength: 2 }),
    span: sometimes(fc.integer({ min: 1, max: 2 })),
  }),
};

const goodPut: fc.Arbitrary<Put> = fc
  .tuple(family, name)
  .chain(([of, called]) => fields[of].map((rest) => ({ family: of, name: called, object: { name: called, ...rest } })));
const badPut: fc.Arbitrary<Put> = fc.tuple(goodPut, fc.boolean()).map(([put, isForeign]) => ({
  ...put,
  object: isForeign ? { ...put.object, colour: 'red' } : { ...put.object, name: 'z' },
}));
const put = fc.oneof({ weight: 30, arbitrary: goodPut }, { weight: 1, arbitrary: badPut });
const operation: fc.Arbitrary<ModelOperation> = fc.oneof(
  { weight: 5, arbitrary: put.map((given) => ({ operation: 'put', ...given }) as ModelOperation) },
  { weight: 1, arbitrary: fc.record({ operation: fc.constant('delete' as const), family, name }) },
);
const usually = fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });
const unique = { selector: ({ family: of, name: called }: Put) => keyOf(of, called), maxLength: 8 };

export const anyStep: fc.Arbitrary<Step> = fc
  .tuple(
    author,
    fc.oneof(
      { weight: 8, arbitrary: put.map((given) => ({ kind: 'put', ...given })) },
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('delete'), family, name }) },
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant('transaction'),
          operations: fc.array(operation, { maxLength: 6 }),
          commit: usually,
          render: fc.boolean(),
        }),
      },
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('render'), force: fc.boolean() }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('restore'), at: fc.nat(20), render: fc.boolean() }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('replace'),
          objects: fc.uniqueArray(goodPut, unique),
          render: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'reopen' }) },
    ),
  )
  .map(([by, what]) => ({ author: by, ...what }) as Step);
