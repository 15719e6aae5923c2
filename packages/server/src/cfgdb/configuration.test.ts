// Holds the configuration database against a plain model of it, over thousands of random steps, with a clock of its own.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Change, type Family, familyNames, ProblemError, parseJson, toTimestamp } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { sameJson } from '../../test/any-object.ts';
import {
  ConfigurationModel,
  keyOf,
  type ModelObject,
  type ModelRevision,
  modelStack,
  type Outcome,
} from '../../test/configuration-model.ts';
import { anyStep, type Step } from '../../test/configuration-steps.ts';
import { transact } from '../../test/transact.ts';

import { Configuration } from './configuration.ts';
import { readObject, type StoredObject } from './read-objects.ts';
import type { Json } from './seen-configuration.ts';
import type { RoleRules } from './stack-rules.ts';

const folder = temporaryFolder(suiteCleanup());
let files = 0;

const anything: RoleRules = { readVariables: () => ({ faults: [] }), checkAddress: () => undefined };
const stacks = [{ name: modelStack, connector: anything, provider: anything }];

const parse = (json: Json) => parseJson(Buffer.from(json).toString());
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

/** As it would come over the wire: objects without a prototype and fields that are undefined are gone. */
const plain = (value: unknown) => parseJson(JSON.stringify(value));

function outcomeOf(work: () => void): Outcome {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

/** One database and its model, which take every step together. */
class Pair {
  readonly #path = join(folder, `${++files}.sqlite`);
  readonly model = new ConfigurationModel();
  timeUs = 1_700_000_000_000_000;
  configuration = this.#open();

  #open(): Configuration {
    return new Configuration({ path: this.#path, stacks, now: () => this.timeUs });
  }

  take(step: Step): void {
    this.timeUs += 1_000_001;
    const [real, expected] = this.#carryOut(step, { timeUs: this.timeUs, author: step.author });
    assert.equal(real, expected);
  }

  /** What came of the step, in the database and in the model. */
  #carryOut(step: Step, edit: { timeUs: number; author: string }): [Outcome, Outcome] {
    const { configuration, model } = this;
    const { author } = edit;
    const both = (real: () => void, expected: Outcome): [Outcome, Outcome] => [outcomeOf(real), expected];
    switch (step.kind) {
      case 'put': {
        const { family, name, object } = step;
        const put = () => configuration.put(family, name, bytes(object), author);
        return both(put, model.put(family, name, object, edit));
      }
      case 'delete': {
        const { family, name } = step;
        return both(() => configuration.delete(family, name, author), model.delete(family, name, edit));
      }
      case 'transaction': {
        const { operations } = step;
        const run = () => transact(configuration, bytes({ operations }), step, author);
        return both(run, model.transaction(operations, step, edit));
      }
      case 'render':
        return both(() => configuration.render(step, author), model.render(step, edit));
      case 'restore': {
        const id = this.#idAt(step.at);
        return both(() => configuration.restore(id, step, author), model.restore(id, step, edit));
      }
      case 'replace': {
        const stored = step.objects.map(({ family, name, object }) => storedObject(family, name, object));
        const byKey = new Map(step.objects.map(({ family, name, object }) => [keyOf(family, name), object]));
        return both(
          () => configuration.replace({ objects: stored, made: [] }, step, author),
          model.replace(byKey, step, edit),
        );
      }
      case 'reopen':
        configuration.close();
        this.configuration = this.#open();
        return [undefined, undefined];
    }
  }

  /** One of the revisions that are kept, or one that never was. */
  #idAt(at: number): number {
    const stored = this.model.revisions();
    return at % (stored.length + 1) === stored.length ? 9999 : (stored[at % (stored.length + 1)]?.id ?? 0);
  }

  compare(): void {
    const { configuration, model } = this;
    for (const family of familyNames) {
      const objects = model.collection(family);
      const names = [...objects.keys()].sort();
      assert.deepEqual(parse(configuration.names(family)), names);
      const text = Buffer.from(configuration.list(family)).toString();
      assert.ok(sameJson(parseJson(text), Object.fromEntries(objects)), text);
      assert.equal(configuration.figures().objects[family], names.length);
      for (const name of names) assert.ok(sameJson(parse(configuration.get(family, name)), objects.get(name)));
    }
    const changes = model.changes();
    assert.deepEqual(sorted((parse(configuration.diff()) as { changes: Change[] }).changes), plain(changes));
    assert.equal(configuration.upToDate(), changes.length === 0);
    const revisions = model.revisions();
    assert.deepEqual(
      configuration.revisions(),
      revisions.map((stored, at) => summaryOf(stored, at === 0)),
    );
  }

  compareRevision(at: number): void {
    const stored = this.model.revisions()[at];
    if (stored === undefined) return;
    const whole = parse(this.configuration.revision(stored.id, { configuration: true })) as { changes: Change[] };
    const { configuration, changes, ...summary } = whole as typeof whole & { configuration: object };
    assert.deepEqual(summary, summaryOf(stored, at === 0));
    assert.deepEqual(sorted(changes), plain(stored.changes));
    const expected: Record<string, object> = {};
    for (const family of familyNames) {
      const of = [...stored.objects].filter(([key]) => key.startsWith(`${family} `));
      expected[family] = Object.fromEntries(of.map(([key, object]) => [key.slice(family.length + 1), object]));
    }
    assert.ok(sameJson(configuration, expected));
  }

  close(): void {
    this.configuration.close();
  }
}

function storedObject(family: Family, name: string, object: ModelObject): StoredObject {
  const stored = readObject(family, name, object, '', []);
  return stored ?? assert.fail('a replacement has only objects that fit');
}

/** The fields of a change in the order of their names: the order of the schema is not the model's to know. */
function sorted(changes: Change[]): Change[] {
  return changes.map((change) =>
    change.fields === undefined
      ? change
      : { ...change, fields: change.fields.toSorted((a, b) => (a.field < b.field ? -1 : 1)) },
  );
}

function summaryOf({ id, timeUs, author, objects, changes }: ModelRevision, running: boolean) {
  const count = (kind: Change['change']) => changes.filter(({ change }) => change === kind).length;
  const counts = familyNames.map((family) => [
    family,
    [...objects.keys()].filter((key) => key.startsWith(`${family} `)).length,
  ]);
  const numbers = { added: count('added'), changed: count('changed'), removed: count('removed') };
  return { id, time: toTimestamp(timeUs), author, running, objects: Object.fromEntries(counts), ...numbers };
}

test('whatever is put, deleted, rendered, restored, replaced and reopened, the database agrees with its model', () => {
  let steps = 0;
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 30, maxLength: 60 }), (sequence) => {
      const pair = new Pair();
      try {
        for (const [at, each] of sequence.entries()) {
          pair.take(each);
          pair.compare();
          pair.compareRevision(at % 5);
          seen.add(each.kind);
          steps++;
        }
        pair.take({ kind: 'reopen', author: '' });
        pair.compare();
        for (const at of pair.model.revisions().keys()) pair.compareRevision(at);
      } finally {
        pair.close();
      }
    }),
    { numRuns: 100 },
  );
  assert.ok(steps >= 3000 && seen.size === 7, `${steps} steps of ${seen.size} kinds`);
});

describe('with a clock that stands where the test puts it', () => {
  const open = () => {
    const pair = new Pair();
    const { configuration } = pair;
    const at = (seconds: number) => {
      pair.timeUs = seconds * 1_000_000;
      return configuration;
    };
    const changes = () =>
      (parse(configuration.diff()) as { changes: Change[] }).changes.map(
        ({ name, change, time, author }) => `${name} ${change} at ${time} by ${author}`,
      );
    return { pair, configuration, at, changes };
  };
  const alarm = (name: string, severity = 1) => bytes({ name, severity });

  test('each change has the time and the author of the last edit of its object', () => {
    const { pair, at, changes } = open();
    at(10).put('alarms', 'a', alarm('a'), 'ann');
    at(20).put('alarms', 'b', alarm('b'), 'ann');
    at(30).put('alarms', 'a', alarm('a', 2), 'bob');
    assert.deepEqual(changes(), ['a added at 30,0 by bob', 'b added at 20,0 by ann']);
    at(40).render({ force: false }, 'eve');
    at(50).put('alarms', 'a', alarm('a', 3), 'ann');
    at(60).delete('alarms', 'b', 'bob');
    at(70.5).put('alarms', 'c', alarm('c'), 'eve');
    const expected = ['a changed at 50,0 by ann', 'b removed at 60,0 by bob', 'c added at 70,500000 by eve'];
    assert.deepEqual(changes(), expected);
    at(80).put('alarms', 'b', alarm('b'), 'ann');
    assert.deepEqual(changes(), [expected[0], expected[2]]);
    pair.close();
  });

  test('a revision has the time and the author of its rendering, and keeps those of its changes', () => {
    const { pair, configuration, at } = open();
    at(10).put('alarms', 'a', alarm('a'), 'ann');
    at(20).render({ force: false }, 'eve');
    transact(at(30), bytes({ operations: [] }), { commit: true, render: true }, 'bob');
    assert.deepEqual(
      configuration.revisions().map(({ id, time, author }) => [id, time, author]),
      [
        [2, [30, 0], 'bob'],
        [1, [20, 0], 'eve'],
      ],
    );
    const { changes } = parse(configuration.revision(1, { configuration: false })) as { changes: Change[] };
    assert.deepEqual(changes, [{ family: 'alarms', name: 'a', change: 'added', time: [10, 0], author: 'ann' }]);
    pair.close();
  });

  test('a failed or rolled back edit leaves times and authors alone', () => {
    const { pair, at, changes } = open();
    at(10).put('alarms', 'a', alarm('a'), 'ann');
    const operations = [{ operation: 'put', family: 'alarms', name: 'a', object: { name: 'a', severity: 5 } }];
    transact(at(20), bytes({ operations }), { commit: false, render: false }, 'bob');
    const failing = bytes({ operations: [...operations, { operation: 'delete', family: 'alarms', name: 'x' }] });
    assert.equal(
      outcomeOf(() => transact(at(30), failing, { commit: true, render: false }, 'bob')),
      'operation-failed',
    );
    assert.deepEqual(changes(), ['a added at 10,0 by ann']);
    pair.close();
  });

  test('a restore is an edit of the objects that it changes, and of no other', () => {
    const { pair, at, changes } = open();
    at(10).put('alarms', 'a', alarm('a'), 'ann');
    at(20).render({ force: false }, 'ann');
    at(30).put('alarms', 'a', alarm('a', 2), 'ann');
    at(40).put('alarms', 'b', alarm('b'), 'ann');
    at(50).render({ force: false }, 'ann');
    at(60).put('alarms', 'c', alarm('c'), 'ann');
    at(70).restore(1, { render: false }, 'bob');
    assert.deepEqual(changes(), ['a changed at 70,0 by bob', 'b removed at 70,0 by bob']);
    pair.close();
  });
});

test('the last 50 renderings are kept, and the oldest of them can be restored', () => {
  const pair = new Pair();
  for (let severity = 0; severity < 60; severity++) {
    pair.take({ kind: 'put', family: 'alarms', name: 'a', object: { name: 'a', severity }, author: 'ann' });
    pair.take({ kind: 'render', force: false, author: 'ann' });
  }
  pair.compare();
  const ids = pair.configuration.revisions().map(({ id }) => id);
  assert.deepEqual(
    ids,
    Array.from({ length: 50 }, (_, at) => 60 - at),
  );
  for (const at of ids.keys()) pair.compareRevision(at);
  assert.equal(
    outcomeOf(() => pair.configuration.restore(10, { render: false }, 'ann')),
    'unknown-revision',
  );
  pair.configuration.restore(11, { render: false }, 'ann');
  assert.deepEqual(parse(pair.configuration.get('alarms', 'a')), { name: 'a', severity: 10 });
  pair.close();
});

test('a list of names gives those that exist, sorted, each once, and does not change the whole list', () => {
  const pair = new Pair();
  for (const name of ['b', '__proto__', 'a']) pair.configuration.put('connectors', name, bytes({ name }), 'ann');
  const list = (names?: string[]) => Buffer.from(pair.configuration.list('connectors', names)).toString();
  const whole = '{"__proto__":{"name":"__proto__"},"a":{"name":"a"},"b":{"name":"b"}}';
  assert.equal(list(), whole);
  assert.equal(
    list(['b', 'nobody', '__proto__', 'b', 'toString']),
    '{"__proto__":{"name":"__proto__"},"b":{"name":"b"}}',
  );
  assert.equal(list([]), '{}');
  assert.equal(list(), whole);
  pair.close();
});
