// Promises of blame: whose edit each field has, in which revision, and where that is not known any more.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { Blame, type BlamedField, checker, fromTimestamp, ProblemError } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Configuration } from './configuration.ts';
import { maxRevisions } from './revisions.ts';

const folder = temporaryFolder(suiteCleanup());
let files = 0;
let seconds = 0;
let configuration: Configuration;

const put = (author: string, fields: object, name = 'level') =>
  configuration.put('measurements', name, Buffer.from(JSON.stringify({ name, datatype: 'd', ...fields })), author);
const render = (comment?: string) => configuration.render({ force: true, comment }, 'root');

function blame(name = 'level'): Blame {
  const steps = configuration.blaming('measurements', name);
  for (;;) {
    const { done, value } = steps.next();
    if (done !== true) continue;
    assert.deepEqual(checker(Blame).faults(value), []);
    return value;
  }
}

/** `field=value author@second revision` */
const shown = ({ field, value, author, time, revision }: BlamedField) =>
  `${field}=${value ?? ''} ${author ?? 'nobody'}@${time && fromTimestamp(time) / 1e6} ${revision ?? 'none'}`;
const lines = (name?: string) => blame(name).fields.map(shown);

beforeEach(() => {
  seconds = 0;
  configuration = new Configuration({
    path: join(folder, `${++files}.sqlite`),
    stacks: [],
    now: () => ++seconds * 1_000_000,
  });
});

describe('who changed a field', () => {
  test('is found though another file takes the place of the database meanwhile', () => {
    put('ann', { eu: 'm' });
    render();
    put('bob', { eu: 'cm' });
    render();
    const steps = configuration.blaming('measurements', 'level');
    steps.next();
    configuration.replace({ objects: [], made: [] }, { render: true }, 'root');
    const { value } = steps.next();
    assert.deepEqual(value, undefined);
    const { fields } = steps.next().value as Blame;
    assert.deepEqual(fields.map(shown), ['name=level ann@1 1', 'datatype=d ann@1 1', 'eu=cm bob@3 2']);
  });

  test('is who edited it last, with the revision and its comment, or not rendered yet', () => {
    put('ann', { eu: 'm', deadband: '1' });
    render();
    put('bob', { eu: 'cm', deadband: '1' }, 'level');
    render('in cm');
    put('cid', { eu: 'cm', deadband: '1', properties: { scanPeriod: '250', a: '1' } });
    render();
    put('dan', { eu: 'cm', properties: { scanPeriod: '500', a: '1' } });
    assert.deepEqual(lines(), [
      'name=level ann@1 1',
      'datatype=d ann@1 1',
      'eu=cm bob@3 2',
      'properties.a=1 cid@5 3',
      'properties.scanPeriod=500 dan@7 none',
      'deadband= dan@7 none',
    ]);
    assert.equal(blame().fields.find(({ field }) => field === 'eu')?.comment, 'in cm');
    assert.equal(blame().oldest, undefined);
    assert.throws(
      () => blame('nobody'),
      (error) => error instanceof ProblemError && error.problem === 'unknown-object',
    );
    configuration.close();
  });

  test('is followed through renames, rendered or not', () => {
    put('ann', { eu: 'm' });
    render();
    const rename = (from: string, to: string, author: string) =>
      configuration.rename({ family: 'measurements', from, to }, { commit: true, render: false }, author);
    rename('level', 'tank', 'bob');
    render();
    put('cid', { eu: 'cm' }, 'tank');
    rename('tank', 'basin', 'dan');
    assert.deepEqual(lines('basin'), ['name=basin dan@6 none', 'datatype=d ann@1 1', 'eu=cm dan@6 none']);
    render();
    assert.deepEqual(lines('basin'), ['name=basin dan@6 3', 'datatype=d ann@1 1', 'eu=cm dan@6 3']);
    configuration.close();
  });

  test('is not known from before the oldest revision that is stored, and that is said', () => {
    put('ann', { eu: 'm' });
    render();
    put('bob', { eu: 'cm' });
    for (let count = 0; count < maxRevisions; count++) render();
    assert.deepEqual(lines(), [
      'name=level nobody@undefined none',
      'datatype=d nobody@undefined none',
      'eu=cm bob@3 2',
    ]);
    assert.equal(blame().oldest, 2);
    configuration.close();
  });

  test('starts again with an object that was deleted and made again', () => {
    put('ann', { eu: 'm' });
    render();
    configuration.delete('measurements', 'level', 'bob');
    render();
    put('cid', { eu: 'm' });
    render();
    assert.deepEqual(lines(), ['name=level cid@5 3', 'datatype=d cid@5 3', 'eu=m cid@5 3']);
    configuration.close();
  });

  test('is that of a plain model, whatever is edited and rendered', () => {
    const value = fc.constantFrom(undefined, 'a', 'b');
    const step = fc.record({
      eu: value,
      description: value,
      key: value,
      author: fc.constantFrom('ann', 'bob'),
      isRendered: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(), (steps, seed) => {
        const name = `m${files++}_${seed}`;
        /** Of what is rendered: from field to value and who. */
        let [before, now] = [new Map<string, string>(), new Map<string, string>()];
        let causes = new Map<string, string>();
        let last = '';
        for (const { eu, description, key, author, isRendered } of steps) {
          now = new Map(
            Object.entries({ eu, description, 'properties.a': key }).flatMap(([field, text]) =>
              text === undefined ? [] : [[field, text] as const],
            ),
          );
          put(author, { eu, description, ...(key && { properties: { a: key } }) }, name);
          last = author;
          if (!isRendered) continue;
          render();
          const id = configuration.revisions()[0]?.id;
          causes = new Map(
            [...now].map(([field, text]) => [
              field,
              before.get(field) === text ? (causes.get(field) ?? '') : `${author} ${id}`,
            ]),
          );
          before = now;
        }
        const expected = [...now].map(([field, text]) =>
          before.get(field) === text ? `${field} ${causes.get(field)}` : `${field} ${last} undefined`,
        );
        const found = blame(name).fields.filter(({ field, value }) => now.has(field) && value !== undefined);
        assert.deepEqual(
          found.map(({ field, author, revision }) => `${field} ${author} ${revision}`).sort(),
          expected.sort(),
        );
        configuration.delete('measurements', name, 'ann');
      }),
      { numRuns: 40 },
    );
    configuration.close();
  });
});
