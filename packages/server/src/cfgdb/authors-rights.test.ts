// Promises of rights in the configuration: whatever way a change comes, it is permitted by what it changes, or changes nothing.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type Family, familyNames, ProblemError, parseJson } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { anyArea, anyGrants, isPermitted } from '../../test/any-grants.ts';
import type { Granted } from '../access/index.ts';
import { Configuration } from './configuration.ts';
import { putTable } from './put-table.ts';
import { readPut, type Step, type StoredObject } from './read-objects.ts';
import { writeTable } from './write-table.ts';

const folder = temporaryFolder(suiteCleanup());
let files = 0;
const role = { readVariables: () => ({ faults: [] }), checkAddress: () => undefined };
const stacks = [{ name: 'paper', connector: role, provider: role }];

type Fields = Record<string, unknown> & { readonly area?: string; readonly properties?: Record<string, string> };
/** By family and name, as in `measurements/n1`. */
type Plant = ReadonlyMap<string, Fields>;

function open(): Configuration {
  return new Configuration({ path: join(folder, `${++files}.sqlite`), stacks, now: () => 1_700_000_000_000_000 });
}

const split = (key: string) => key.split('/') as [Family, string];

function putStep(key: string, fields: Fields): Extract<Step, { operation: 'put' }> {
  const [family, name] = split(key);
  return readPut(family, name, { name, ...fields }, '', []) as Extract<Step, { operation: 'put' }>;
}

function plantOf(configuration: Configuration): Plant {
  return new Map(
    familyNames.flatMap((family) =>
      [...configuration.objects(family)].map(([name, text]) => {
        const { name: _, ...fields } = parseJson(text) as Fields;
        return [`${family}/${name}`, fields] as const;
      }),
    ),
  );
}

function stepsBetween(from: Plant, to: Plant): Step[] {
  const gone = [...from.keys()].filter((key) => !to.has(key)).map((key) => split(key));
  return [
    ...Array.from(to, ([key, fields]) => putStep(key, fields)),
    ...gone.map(([family, name]) => ({ operation: 'delete', family, name }) as const),
  ];
}

const plain = { commit: true, render: false };
const become = (configuration: Configuration, plant: Plant) =>
  configuration.transaction(stepsBetween(plantOf(configuration), plant), plain, 'everybody');

function done<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done: isOver, value } = steps.next();
    if (isOver === true) return value;
  }
}

/** Undefined: it was done. */
function refusal(work: () => void): ProblemError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ProblemError, String((error as Error).stack));
    return error;
  }
}

const described = (fields: Fields, area: string | undefined) => ({ ...fields, ...(area && { area }) });
const withProperties = (fields: Fields, properties: Record<string, string | undefined>) => {
  const set = Object.entries(properties).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return set.length === 0 ? fields : { ...fields, properties: Object.fromEntries(set) };
};

const anyConnectorName = fc.constantFrom(undefined, 'nplc', 'mplc');
const anyMeasurement = fc
  .tuple(anyArea, anyConnectorName, fc.constantFrom('1', '2'), fc.constantFrom('one', 'two'))
  .map(([area, connectorName, address, description]) =>
    described({ datatype: 'd', description, ...(connectorName && { connectorName, address }) }, area),
  );
const anyAlarm = fc
  .tuple(anyArea, fc.constantFrom(undefined, 'n1', 'm1'), fc.constantFrom('1', '2'))
  .map(([area, trgMeasurement, trgRefValue]) =>
    described({ severity: 1, ...(trgMeasurement && { trgMeasurement, trgOperator: 'gt', trgRefValue }) }, area),
  );
const anyModule = fc
  .tuple(anyArea, fc.constantFrom(undefined, 'n1', 'm1', 'n*'), fc.constantFrom(undefined, 'run.py'), fc.boolean())
  .map(([area, writes, executable, enabled]) =>
    withProperties({ termToKill: 1, queryTimeout: 0, enabled, ...(executable && { executable }) }, { area, writes }),
  );
const anyConnector = anyArea.map((area) => withProperties({ stackName: 'paper' }, { area }));

/** Others refer to these. */
const anyBase = fc.record({
  'measurements/n1': anyArea.map((area) => described({ datatype: 'd' }, area)),
  'measurements/m1': anyArea.map((area) => described({ datatype: 'd' }, area)),
  'connectors/nplc': anyConnector,
  'connectors/mplc': anyConnector,
});
const anyRest = fc.record(
  {
    'measurements/n2': anyMeasurement,
    'measurements/m2': anyMeasurement,
    'alarms/n3': anyAlarm,
    'alarms/m3': anyAlarm,
    'function-modules/n4': anyModule,
    'function-modules/m4': anyModule,
  },
  { requiredKeys: [] },
);
const anyPair = fc
  .tuple(anyBase, anyRest, anyRest, fc.integer({ min: 1, max: 6 }))
  .map(([base, before, after, most]) => {
    const from = new Map<string, Fields>(Object.entries({ ...base, ...before }));
    const to = new Map(from);
    for (const key of Object.keys({ ...before, ...after }).slice(0, most)) {
      const fields = (after as Record<string, Fields>)[key];
      if (fields === undefined) to.delete(key);
      else to.set(key, fields);
    }
    return { from: from as Plant, to: to as Plant };
  });

const areaOf = (key: string, fields: Fields | undefined) =>
  /^(measurements|commands|alarms)/.test(key) ? fields?.area : fields?.properties?.area;
const same = isDeepStrictEqual;
const differs = (one: Fields | undefined, other: Fields, fields: readonly string[]) =>
  fields.some((field) => !same(one?.[field], other[field]));

/** The rule, told once more. */
function mayChange(granted: readonly Granted[], key: string, from: Plant, to: Plant): boolean {
  const [family, name] = split(key);
  const [was, is] = [from.get(key), to.get(key)];
  const places = [was, is].filter((each) => each !== undefined);
  const everyPlace = (permission: 'configure' | 'install-code') =>
    places.every((each) => isPermitted(granted, permission, name, areaOf(key, each)));
  const may = (permission: 'configure' | 'view' | 'install-code', other: string) =>
    isPermitted(granted, permission, split(other)[1], areaOf(other, to.get(other)));
  if (!everyPlace('configure')) return false;
  if (is === undefined) return true;
  if (family === 'measurements') {
    const usesIt = is.connectorName !== undefined && differs(was, is, ['connectorName', 'address']);
    return !usesIt || may('configure', `connectors/${is.connectorName}`);
  }
  if (family === 'alarms') {
    const usesIt = is.trgMeasurement !== undefined && differs(was, is, ['trgMeasurement', 'trgRefValue']);
    const measurement = `measurements/${is.trgMeasurement}`;
    return !usesIt || may('view', measurement) || may('configure', measurement);
  }
  const [old, now] = [was?.properties, is.properties];
  const isOther = differs(was, is, ['executable']) || old?.writes !== now?.writes;
  const isMoved = was !== undefined && (old?.area ?? '') !== (now?.area ?? '');
  if ((isOther || isMoved) && !everyPlace('install-code')) return false;
  const writes = now?.writes;
  if (writes === undefined || writes === old?.writes) return true;
  return writes.endsWith('*')
    ? isPermitted(granted, 'install-code', writes.slice(0, -1))
    : may('install-code', `measurements/${writes}`);
}

function seesAll(granted: readonly Granted[], plant: Plant): boolean {
  return [...plant].every(([key, fields]) =>
    (['read-config', 'configure'] as const).some((each) =>
      isPermitted(granted, each, split(key)[1], areaOf(key, fields)),
    ),
  );
}

interface Way {
  readonly name: string;
  /** All of it, or nothing; else what is not seen is left as it is. */
  readonly isWhole: boolean;
  /** It is for whoever sees everything that there is. */
  readonly isForAll?: true;
  run(configuration: Configuration, from: Plant, to: Plant): void;
}

function storedObjects(plant: Plant): StoredObject[] {
  return Array.from(plant, ([key, fields]) => putStep(key, fields).object);
}

/** Of what the author sees, and of what is new. */
function importTables(configuration: Configuration, from: Plant, to: Plant): void {
  for (const family of ['measurements', 'alarms', 'function-modules'] as const) {
    const isNew = (key: string) => !same(from.get(key), to.get(key));
    const texts = storedObjects(to).filter(
      ({ family: its, name }) => its === family && (configuration.has(family, name) || isNew(`${family}/${name}`)),
    );
    const objects = new Map(texts.map(({ name, text }) => [name, text]));
    const table = Buffer.concat(done(writeTable(family, objects, { format: 'csv' })));
    done(putTable(configuration, family, table, { dryRun: false, render: false, deleteMissing: true }, 'anna'));
  }
}

const ways: readonly Way[] = [
  {
    name: 'a transaction',
    isWhole: true,
    run: (configuration, from, to) => {
      const changed = new Map([...to].filter(([key, fields]) => !same(from.get(key), fields)));
      const gone = [...from.keys()].filter((key) => !to.has(key)).map((key) => split(key));
      const steps = [...changed].map(([key, fields]): Step => putStep(key, fields));
      configuration.transaction(
        [...steps, ...gone.map(([family, name]) => ({ operation: 'delete', family, name }) as const)],
        plain,
        'anna',
      );
    },
  },
  {
    name: 'an upload',
    isWhole: true,
    isForAll: true,
    run: (configuration, _, to) =>
      configuration.replace({ objects: storedObjects(to), made: [] }, { render: false }, 'anna'),
  },
  {
    name: 'a restore',
    isWhole: false,
    run: (configuration) => configuration.restore(1, { render: false }, 'anna'),
  },
  {
    name: 'discarding edits',
    isWhole: false,
    run: (configuration) => void configuration.discard({}, { commit: true }, 'anna'),
  },
];

describe('whatever way a change comes', () => {
  test('it is done where every object is permitted where it was and where it is, and what it refers to; else nothing is', () => {
    fc.assert(
      fc.property(anyPair, anyGrants, ({ from, to }, granted) => {
        const configuration = open();
        try {
          become(configuration, to);
          configuration.render({ force: true }, 'everybody');
          become(configuration, from);
          const keys = [...new Set([...from.keys(), ...to.keys()])].filter((key) => !same(from.get(key), to.get(key)));
          const refused = keys.filter((key) => !mayChange(granted, key, from, to));
          for (const { name, isWhole, isForAll = false, run } of ways) {
            const isBlind = isForAll && !seesAll(granted, from);
            const error = refusal(() => run(configuration.for({ name: 'anna', granted }), from, to));
            const now = plantOf(configuration);
            const changed = keys.filter((key) => !same(from.get(key), now.get(key)));
            const what = `${name}: ${error?.message}`;
            if (error !== undefined) assert.deepEqual(changed, [], what);
            assert.deepEqual(
              changed.filter((key) => refused.includes(key)),
              [],
              what,
            );
            if (refused.length === 0 && !isBlind) assert.deepEqual(sorted(now), sorted(to), what);
            else if (isWhole || keys.length === 1) assert.deepEqual(sorted(now), sorted(from), what);
            become(configuration, from);
          }
        } finally {
          configuration.close();
        }
      }),
      { numRuns: 50 },
    );
  });

  test('of one object, it is refused where the plain put or delete is refused, and done where that is done', () => {
    fc.assert(
      fc.property(anyPair, anyGrants, ({ from, to }, granted) => {
        const configuration = open();
        const anna = () => configuration.for({ name: 'anna', granted });
        try {
          const keys = [...new Set([...from.keys(), ...to.keys()])];
          const key = keys.find((each) => !same(from.get(each), to.get(each)));
          if (key === undefined) return;
          const wanted = new Map(from);
          const fields = to.get(key);
          if (fields === undefined) wanted.delete(key);
          else wanted.set(key, fields);
          become(configuration, wanted);
          configuration.render({ force: true }, 'everybody');
          become(configuration, from);
          const [family, name] = split(key);
          const byHand = refusal(() => {
            if (fields === undefined) return anna().delete(family, name, 'anna');
            anna().put(family, name, Buffer.from(JSON.stringify({ name, ...fields })), 'anna');
          });
          assert.equal(byHand === undefined, mayChange(granted, key, from, wanted), `${byHand?.message}`);
          const all: readonly Way[] = [...ways, { name: 'a table', isWhole: true, run: importTables }];
          for (const { name: way, isForAll = false, run } of all) {
            become(configuration, from);
            refusal(() => run(anna(), from, wanted));
            const isDone = same(sorted(plantOf(configuration)), sorted(wanted));
            const isBlind = isForAll && !seesAll(granted, from);
            assert.equal(isDone, byHand === undefined && !isBlind, `${way}: ${byHand?.message}`);
          }
        } finally {
          configuration.close();
        }
      }),
      { numRuns: 50 },
    );
  });
});

const sorted = (plant: Plant) => [...plant].sort(([a], [b]) => (a < b ? -1 : 1));

describe('a rendering', () => {
  test('needs the permission for everything that it puts into effect, whoever has edited it', () => {
    fc.assert(
      fc.property(anyPair, anyGrants, fc.boolean(), ({ from, to }, granted, force) => {
        const configuration = open();
        try {
          become(configuration, from);
          configuration.render({ force: true }, 'everybody');
          become(configuration, to);
          const keys = [...new Set([...from.keys(), ...to.keys()])].filter((key) => !same(from.get(key), to.get(key)));
          const places = keys.flatMap((key) =>
            [from, to].flatMap((plant) =>
              plant.has(key) ? [[split(key)[1], areaOf(key, plant.get(key))] as const] : [],
            ),
          );
          const may = places.every(([name, area]) => isPermitted(granted, 'render', name, area));
          const hasAny = granted.some(({ permissions }) => permissions.includes('render'));
          const anna = configuration.for({ name: 'anna', granted });
          const isNeeded = force || !anna.upToDate();
          const error = refusal(() => anna.render({ force }, 'anna'));
          assert.equal(error === undefined, !isNeeded || (may && hasAny), `${error?.message}`);
          assert.equal(configuration.revisions().length, error === undefined && isNeeded ? 2 : 1);
        } finally {
          configuration.close();
        }
      }),
      { numRuns: 50 },
    );
  });
});
