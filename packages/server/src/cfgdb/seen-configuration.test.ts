// Promises of reads of the configuration: what somebody does not see is not in any answer, and answers as what is not there.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Family, ProblemError } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { anyArea, anyGrants, isPermitted } from '../../test/any-grants.ts';
import type { Granted } from '../access/index.ts';
import { Configuration } from './configuration.ts';
import { copyObjects } from './copy-objects.ts';
import { generate } from './generate.ts';
import { listTypicals } from './list-typicals.ts';
import { readTransaction } from './read-objects.ts';
import { writeTable } from './write-table.ts';

const folder = temporaryFolder(suiteCleanup());
let files = 0;
let timeUs = 1_700_000_000_000_000;

function open(): Configuration {
  const path = join(folder, `${++files}.sqlite`);
  return new Configuration({ path, stacks: [], now: () => (timeUs += 1_000_000) });
}

function done<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done: isOver, value } = steps.next();
    if (isOver === true) return value;
  }
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const body = (object: object) => Buffer.from(JSON.stringify(object));
const put = (configuration: Configuration, family: Family, name: string, fields: object) =>
  configuration.put(family, name, body({ name, ...fields }), 'everybody');

/** What becomes of n1, n2, m1 and m2 with each revision: the area of each, or that it is gone. */
const names = ['n1', 'n2', 'm1', 'm2'] as const;
const anyHistory = fc.array(fc.tuple(fc.constantFrom(...names), fc.oneof(anyArea, fc.constant('gone'))), {
  minLength: 1,
  maxLength: 8,
});

/** Every version of an object says what it is, and where. */
const canary = (name: string, area: string | undefined, version: number) =>
  `canary ${name} in ${area ?? 'none'} ${version}.`;

/** As `Configuration` and its thread answer them. */
function everyRead(seen: Configuration, revisions: number): string[] {
  const ids = Array.from({ length: revisions }, (_, index) => index + 1);
  const words = ['rendered', 'edited', ...ids.map(String)];
  return [
    text(seen.names('measurements')),
    text(seen.list('measurements')),
    text(seen.list('measurements', names)),
    ...names.flatMap((name) => (seen.has('measurements', name) ? [text(seen.get('measurements', name))] : [])),
    ...names.flatMap((name) =>
      seen.has('measurements', name) ? [JSON.stringify(done(seen.blaming('measurements', name)))] : [],
    ),
    text(seen.diff()),
    ...words.flatMap((from) => words.map((to) => text(done(seen.comparing(from, to))))),
    ...ids.map((id) => text(seen.revision(id, { configuration: true }))),
    JSON.stringify(seen.revisions()),
    text(listTypicals(seen)),
    Buffer.concat(done(writeTable('measurements', seen.objects('measurements'), { format: 'csv' }))).toString(),
    JSON.stringify(seen.offer('plc', 'none', [])),
  ];
}

describe('whoever does not see all of the configuration', () => {
  test('finds no version of an object in any answer that was where they see nothing', () => {
    fc.assert(
      fc.property(anyHistory, anyGrants, fc.boolean(), (history, granted, isRendered) => {
        const stack = { readVariables: () => ({ faults: [] }), checkAddress: () => undefined };
        const path = join(folder, `${++files}.sqlite`);
        const stacks = [{ name: 'none', connector: stack }];
        const configuration = new Configuration({ path, stacks, now: () => (timeUs += 1_000_000) });
        try {
          const hidden: string[] = [];
          let revisions = 0;
          for (const [version, [name, area]] of history.entries()) {
            if (area === 'gone') {
              if (configuration.has('measurements', name)) configuration.delete('measurements', name, 'everybody');
            } else {
              const description = canary(name, area, version);
              put(configuration, 'measurements', name, { datatype: 'd', description, ...(area && { area }) });
              const isSeen = (['read-config', 'configure'] as const).some((each) =>
                isPermitted(granted, each, name, area),
              );
              if (!isSeen) hidden.push(description);
            }
            if (!isRendered && version === history.length - 1) continue;
            configuration.render({ force: true }, 'everybody');
            revisions++;
          }
          const answers = everyRead(configuration.for({ name: 'anna', granted }), revisions).join('\n');
          assert.deepEqual(
            hidden.filter((each) => answers.includes(each)),
            [],
          );
          // Of objects that they never saw, not even the name.
          for (const name of names) {
            const isEverSeen = history.some(([each, area]) => {
              const places = (['read-config', 'configure'] as const).map((word) =>
                isPermitted(granted, word, name, area),
              );
              return each === name && area !== 'gone' && places.includes(true);
            });
            if (!isEverSeen) assert.ok(!answers.includes(`"${name}"`), `${name}: ${answers}`);
          }
        } finally {
          configuration.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('an object that is not seen', () => {
  const granted: Granted[] = [{ permissions: ['read-config', 'configure', 'render', 'install-code'], area: 'a' }];

  /** The same question about an object that they do not see, and about none. */
  const questions: Record<string, (seen: Configuration, name: string) => unknown> = {
    'reading it': (seen, name) => seen.get('measurements', name),
    'listing it by name': (seen, name) => text(seen.list('measurements', [name])),
    'reading a table of it': (seen, name) =>
      Buffer.concat(
        done(writeTable('measurements', seen.objects('measurements'), { format: 'csv', names: [name] })),
      ).toString(),
    'deleting it': (seen, name) => seen.delete('measurements', name, 'anna'),
    'deleting it in a transaction': (seen, name) => {
      const operations = [{ operation: 'delete', family: 'measurements', name }];
      seen.transaction(done(readTransaction(body({ operations }))), { commit: true, render: false }, 'anna');
    },
    'putting it where it is': (seen, name) =>
      seen.put('measurements', name, body({ name, datatype: 'd', area: 'b' }), 'anna'),
    'renaming it': (seen, name) =>
      seen.rename({ family: 'measurements', from: name, to: 'other' }, { commit: true, render: false }, 'anna'),
    'copying it': (seen, name) =>
      copyObjects(seen, { family: 'measurements', name, to: 'other' }, { dryRun: false, render: false }, 'anna'),
    'asking who changed it': (seen, name) => done(seen.blaming('measurements', name)),
    'discarding its edits': (seen, name) => seen.discard({ family: 'measurements', name }, { commit: true }, 'anna'),
    'restoring it': (seen, name) => seen.restore(1, { family: 'measurements', name, render: false }, 'anna'),
    'triggering an alarm by it': (seen, name) => {
      const trigger = { trgMeasurement: name, trgOperator: 'gt', trgRefValue: '1' };
      seen.put('alarms', 'own', body({ name: 'own', severity: 1, area: 'a', ...trigger }), 'anna');
    },
    'being led by it': (seen, name) =>
      seen.put('measurements', 'own', body({ name: 'own', datatype: 'd', area: 'a', leader: name }), 'anna'),
    'a point on a connector of that name': (seen, name) => {
      const point = { name: 'own', datatype: 'd', area: 'a', connectorName: name, address: '1' };
      seen.put('measurements', 'own', body(point), 'anna');
    },
    'a watchdog of that name': (seen, name) =>
      seen.put('connectors', 'own', body({ name: 'own', wdtMeasurement: name, properties: { area: 'a' } }), 'anna'),
    'a function module that writes it': (seen, name) => {
      const times = { termToKill: 1, queryTimeout: 0 };
      seen.put(
        'function-modules',
        'own',
        body({ name: 'own', ...times, properties: { area: 'a', writes: name } }),
        'anna',
      );
    },
    'the executable of a module of that name': (seen, name) => seen.executableOf(name, 'install-code'),
  };

  function answer(ask: () => unknown, name: string): string {
    let found: unknown;
    try {
      found = ask() ?? 'done';
    } catch (error) {
      assert.ok(error instanceof ProblemError, String(error));
      found = [error.problem, error.message, error.errors];
    }
    const shown = found instanceof Uint8Array ? text(found) : JSON.stringify(found);
    return shown.replaceAll(name, 'NAME');
  }

  for (const [what, ask] of Object.entries(questions)) {
    test(`answers as one that is not there: ${what}`, () => {
      const configuration = open();
      put(configuration, 'measurements', 'foreign', { datatype: 'd', area: 'b' });
      put(configuration, 'connectors', 'foreign', { properties: { area: 'b' } });
      const times = { termToKill: 1, queryTimeout: 0 };
      put(configuration, 'function-modules', 'foreign', { ...times, properties: { area: 'b' } });
      const seen = () => configuration.for({ name: 'anna', granted });
      const before = text(configuration.diff());
      assert.equal(
        answer(() => ask(seen(), 'foreign'), 'foreign'),
        answer(() => ask(seen(), 'missing'), 'missing'),
      );
      assert.equal(text(configuration.diff()), before);
      configuration.close();
    });
  }
});

describe('what was made by a type', () => {
  const type = {
    name: 'pump',
    parameters: { pump: {}, at: {} },
    objects: { measurements: { '{pump}_flow': { datatype: 'd', area: '{at}' } } },
  };
  const plain = { dryRun: false, render: false, deleteMissing: false, overwrite: false };
  const make = (configuration: Configuration, instances: object[], options = {}) =>
    JSON.parse(text(done(generate(configuration, body({ type, instances }), { ...plain, ...options }, 'anna'))));

  test('is listed, kept and deleted as far as it is seen', () => {
    const configuration = open();
    make(configuration, [
      { pump: 'p1', at: 'a' },
      { pump: 'p2', at: 'b' },
    ]);
    const seen = () =>
      configuration.for({ name: 'anna', granted: [{ permissions: ['read-config', 'configure'], area: 'a' }] });
    assert.deepEqual(Object.keys(JSON.parse(text(listTypicals(seen()))).pump), ['p1']);
    assert.equal(make(seen(), [{ pump: 'p3', at: 'a' }], { deleteMissing: true }).removed, 1);
    assert.equal(text(configuration.names('measurements')), '["p2_flow","p3_flow"]');
    const refused = (error: unknown) => error instanceof ProblemError && error.problem === 'not-allowed';
    assert.throws(() => make(seen(), [{ pump: 'p4', at: 'b' }]), refused);
    assert.throws(() => make(seen(), [{ pump: 'p2', at: 'a' }], { overwrite: true }), refused);
    configuration.close();
  });

  test('is not taken over by a type of somebody who may not change it', () => {
    const configuration = open();
    put(configuration, 'measurements', 'p1_flow', { datatype: 'd', area: 'b' });
    const granted: Granted[] = [{ permissions: ['read-config'] }, { permissions: ['configure'], area: 'a' }];
    const seen = configuration.for({ name: 'anna', granted });
    assert.throws(
      () => make(seen, [{ pump: 'p1', at: 'b' }]),
      (error: unknown) => error instanceof ProblemError && error.problem === 'not-allowed',
    );
    assert.equal(text(listTypicals(configuration)), '{}');
    configuration.close();
  });
});

describe('a rename', () => {
  const plain = { commit: true, render: false };
  const granted: Granted[] = [{ permissions: ['read-config', 'configure', 'view'], area: 'a' }];

  test('needs the permission for everything that refers to the object, and names nothing that is not seen', () => {
    const configuration = open();
    put(configuration, 'measurements', 'level', { datatype: 'd', area: 'a' });
    const trigger = { severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '1' };
    put(configuration, 'alarms', 'secret_alarm', { ...trigger, area: 'b' });
    const rename = () =>
      configuration
        .for({ name: 'anna', granted })
        .rename({ family: 'measurements', from: 'level', to: 'basin' }, plain, 'anna');
    assert.throws(rename, (error: unknown) => {
      assert.ok(error instanceof ProblemError && error.problem === 'not-allowed');
      return error.message === 'It would change something that anna does not see.';
    });
    put(configuration, 'alarms', 'secret_alarm', { ...trigger, area: 'a.x' });
    assert.deepEqual(rename().referrers, [{ family: 'alarms', name: 'secret_alarm' }]);
    configuration.close();
  });
});
