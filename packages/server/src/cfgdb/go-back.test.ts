// Promises of going back: discarding edits, restoring revisions whole and object by object, comparing, comments; renames included.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { type ComparedChange, type Family, familyNames, ProblemError, parseJson } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Configuration } from './configuration.ts';
import type { Rename } from './renamed-references.ts';

const folder = temporaryFolder(suiteCleanup());
const plain = { commit: true, render: false };
let files = 0;
let timeUs = 1_700_000_000_000_000;
let proposed: readonly Rename[];
let configuration: Configuration;

const parse = <T>(json: Uint8Array) => parseJson(Buffer.from(json).toString()) as T;

function put(family: Family, name: string, fields: object, author = 'ann'): void {
  configuration.put(family, name, Buffer.from(JSON.stringify({ name, ...fields })), author);
}

const level = (fields: object = {}, author?: string) =>
  put('measurements', 'level', { datatype: 'd', ...fields }, author);
const rename = (from: string, to: string) => configuration.rename({ family: 'measurements', from, to }, plain, 'ann');
const remove = (name: string) => configuration.delete('measurements', name, 'ann');
const render = (comment?: string) => configuration.render({ force: true, comment }, 'ann');
const read = (family: Family, name: string) => parse<Record<string, unknown>>(configuration.get(family, name));
const whole = () => familyNames.map((family) => parse(configuration.list(family)));
const shown = ({ change, name, renamedFrom, fields }: ComparedChange) =>
  [change, renamedFrom && `${renamedFrom} to`, name, fields?.map(({ field }) => field).join('+')]
    .filter((text) => text !== undefined)
    .join(' ');
function compare(from: string, to: string): string[] {
  const steps = configuration.comparing(from, to);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return parse<{ changes: ComparedChange[] }>(value).changes.map(shown);
  }
}
const discard = (family?: Family, name?: string, commit = true) =>
  parse<{ changes: ComparedChange[] }>(configuration.discard({ family, name }, { commit }, 'bob')).changes.map(shown);
const isProblem = (problem: string) => (error: unknown) => error instanceof ProblemError && error.problem === problem;

beforeEach(() => {
  const propose = (_: unknown, renames: readonly Rename[]) => {
    proposed = renames;
    return undefined;
  };
  const path = join(folder, `${++files}.sqlite`);
  configuration = new Configuration({ path, stacks: [], now: () => (timeUs += 1_000_000), propose });
  proposed = [];
  level({ eu: 'm' });
  put('measurements', 'flow', { datatype: 'd', leader: 'level' });
  render('the first');
  proposed = [];
});

describe('discarding edits', () => {
  test('makes the database what runs, and answers with what is gone', () => {
    const before = whole();
    level({ eu: 'cm' });
    put('alarms', 'high', { severity: 1 });
    remove('flow');
    const edits = ['added high', 'changed level eu', 'removed flow'];
    assert.deepEqual(discard(undefined, undefined, false).sort(), edits);
    assert.equal(configuration.upToDate(), false);
    assert.deepEqual(discard().sort(), edits);
    assert.equal(configuration.upToDate(), true);
    assert.deepEqual(whole(), before);
    assert.deepEqual(discard(), []);
    configuration.close();
  });

  test('of a family, a name or a pattern leaves the others', () => {
    level({ eu: 'cm' });
    put('measurements', 'flow2', { datatype: 'd' });
    put('measurements', 'flow3', { datatype: 'd' });
    put('alarms', 'high', { severity: 1 });
    assert.deepEqual(discard('measurements', 'flow*'), ['added flow2', 'added flow3']);
    assert.deepEqual(discard('measurements', 'level'), ['changed level eu']);
    assert.deepEqual(discard('measurements', 'level'), []);
    assert.deepEqual(discard('measurements'), []);
    assert.throws(() => discard('measurements', 'nobody'), isProblem('unknown-object'));
    assert.deepEqual(discard('alarms'), ['added high']);
    assert.equal(configuration.upToDate(), true);
    configuration.close();
  });

  test('of either name of a renamed object gives it its name back, also where it is referred to', () => {
    for (const name of ['level', 'basin']) {
      rename('level', 'basin');
      assert.deepEqual(discard('measurements', name).sort(), [
        'added level to basin',
        'changed flow leader',
        'removed level',
      ]);
      assert.equal(configuration.upToDate(), true);
    }
    rename('level', 'basin');
    discard();
    put('measurements', 'basin', { datatype: 'd' });
    remove('level');
    put('measurements', 'flow', { datatype: 'd' });
    render();
    assert.deepEqual(proposed, []);
    configuration.close();
  });

  test('of anything, then of all, leaves what runs, whatever was edited', () => {
    const before = whole();
    const measurements = before[familyNames.indexOf('measurements')] as Record<string, unknown>;
    const name = fc.constantFrom('level', 'flow', 'a', 'b');
    const edit = fc.record({ kind: fc.constantFrom('put', 'delete', 'rename', 'discard'), name, other: name });
    const carryOut = ({ kind, name, other }: { kind: string; name: string; other: string }) => {
      if (kind === 'put') put('measurements', name, { datatype: 'd', leader: other });
      else if (kind === 'delete') remove(name);
      else if (kind === 'rename') rename(name, other);
      else {
        discard('measurements', name);
        const now = parse<Record<string, unknown>>(configuration.list('measurements', [name]));
        assert.deepEqual(now[name], measurements[name]);
      }
    };
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
        for (const each of edits) {
          try {
            carryOut(each);
          } catch (error) {
            if (!(error instanceof ProblemError)) throw error;
          }
        }
        discard();
        assert.deepEqual(whole(), before);
        assert.equal(configuration.upToDate(), true);
      }),
      { numRuns: 200 },
    );
    configuration.close();
  });
});

describe('restoring', () => {
  test('one object leaves the others, and brings back one that was deleted since', () => {
    level({ eu: 'cm' });
    put('measurements', 'flow', { datatype: 'i' });
    render();
    remove('level');
    render();
    configuration.restore(1, { family: 'measurements', name: 'level', render: true, comment: 'was right' }, 'bob');
    assert.equal(read('measurements', 'level').eu, 'm');
    assert.equal(read('measurements', 'flow').datatype, 'i');
    assert.equal(configuration.revisions()[0]?.comment, 'was right');
    put('alarms', 'high', { severity: 1 });
    render();
    const ofAlarm = { family: 'alarms', name: 'high', render: false } as const;
    assert.throws(() => configuration.restore(1, ofAlarm, 'bob'), isProblem('unknown-object'));
    configuration.close();
  });

  test('what was renamed since is a rename: the history follows, and so does what refers to it', () => {
    rename('level', 'tank');
    render();
    rename('tank', 'basin');
    put('measurements', 'basin', { datatype: 'd', eu: 'cm' });
    render();
    rename('basin', 'pool');
    assert.deepEqual(compare('edited', '1'), ['changed flow leader', 'added pool to level eu', 'removed pool']);
    configuration.restore(1, { family: 'measurements', name: 'level', render: false }, 'bob');
    assert.equal(read('measurements', 'flow').leader, 'level');
    assert.deepEqual(compare('1', 'edited'), []);
    configuration.confirmRenames([
      { family: 'measurements', from: 'level', to: 'tank' },
      { family: 'measurements', from: 'tank', to: 'basin' },
    ]);
    render();
    assert.deepEqual(proposed, [{ family: 'measurements', from: 'basin', to: 'level' }]);
    configuration.confirmRenames(proposed);
    configuration.restore(3, { render: true }, 'bob');
    assert.deepEqual(proposed, [{ family: 'measurements', from: 'level', to: 'basin' }]);
    configuration.close();
  });

  test('does not take an object for one that was deleted, and had its name', () => {
    rename('level', 'tank');
    render();
    configuration.confirmRenames(proposed);
    remove('tank');
    put('measurements', 'flow', { datatype: 'd' });
    render();
    put('measurements', 'tank', { datatype: 'd' });
    render();
    configuration.restore(1, { render: true }, 'bob');
    assert.deepEqual(proposed, []);
    assert.deepEqual(compare('1', 'rendered'), []);
    configuration.close();
  });
});

describe('comparing', () => {
  test('tells what is different in the second of any two: revisions, what runs, the database', () => {
    level({ eu: 'cm', properties: { a: '1' } });
    render();
    rename('level', 'basin');
    render();
    put('alarms', 'high', { severity: 1 });
    assert.deepEqual(compare('1', '2'), ['changed level eu+properties']);
    assert.deepEqual(compare('2', 'rendered'), ['added level to basin', 'changed flow leader', 'removed level']);
    assert.deepEqual(compare('rendered', '2'), ['removed basin', 'changed flow leader', 'added basin to level']);
    assert.deepEqual(compare('rendered', 'edited'), ['added high']);
    assert.deepEqual(compare('1', 'edited').slice(0, 2), ['added high', 'added level to basin eu+properties']);
    assert.deepEqual(compare('2', '2'), []);
    assert.throws(() => compare('9', 'edited'), isProblem('unknown-revision'));
    configuration.close();
  });
});

test('a comment is kept with its revision, also through an upload and a restart, and others have none', () => {
  level({ eu: 'cm' });
  render('in "cm" – wie gewünscht');
  level({ eu: 'mm' });
  render();
  configuration.replace({ objects: [], made: [] }, { render: true, comment: 'nothing is left' }, 'ann');
  const path = join(folder, `${files}.sqlite`);
  configuration.close();
  configuration = new Configuration({ path, stacks: [], now: () => timeUs });
  assert.deepEqual(
    configuration.revisions().map(({ id, comment }) => [id, comment]),
    [
      [4, 'nothing is left'],
      [3, undefined],
      [2, 'in "cm" – wie gewünscht'],
      [1, 'the first'],
    ],
  );
  assert.deepEqual(configuration.missing(), []);
  configuration.close();
});

test('all who ask what is edited share one answer, until something changes', () => {
  level({ eu: 'm' });
  const edited = configuration.diff();
  assert.equal(configuration.diff(), edited);
  level({ eu: 'cm' });
  assert.notEqual(configuration.diff(), edited);
  render();
  assert.deepEqual(parse(configuration.diff()), { changes: [] });
});
