import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlarmState, type AlarmTransitions, alarmStates, fromTimestamp } from '@telltale/schema';
import fc from 'fast-check';
import { packAlarm } from '../alarm-text.ts';
import type { TransitionsRequest } from '../archive-access.ts';
import { type Series, simulated } from '../records.ts';
import type { Snapshot } from '../store/snapshot.ts';
import { NewestTransitions, readPlace } from './newest-transitions.ts';
import { PageBuffers } from './page.ts';

interface Recorded {
  readonly t: number;
  readonly state: AlarmState;
  readonly description: string;
  readonly isSimulated: boolean;
}

/** By the names of alarms, in time order. */
type Plant = Readonly<Record<string, readonly Recorded[]>>;

const recorded: fc.Arbitrary<Recorded> = fc.record({
  t: fc.integer({ min: 1, max: 40 }),
  state: fc.constantFrom(...alarmStates),
  description: fc.constantFrom('', 'Too high', 'too LOW', 'Motor'),
  isSimulated: fc.boolean(),
});
const plant: fc.Arbitrary<Plant> = fc.dictionary(
  fc.constantFrom('pump', 'tank_high', 'tank_low', 'A', '__proto__', 'motor'),
  fc.array(recorded, { maxLength: 25 }).map((list) => list.sort((a, b) => a.t - b.t)),
);

function snapshotOf(name: string, records: readonly Recorded[], number: number): Snapshot {
  const series = { number, kind: 'alarms', name, datatype: 's' } as Series;
  const tail = {
    times: Float64Array.from(records, ({ t }) => t),
    numbers: new ArrayBuffer(8 * records.length),
    qualities: Uint16Array.from(records, ({ isSimulated }) => 192 | (isSimulated ? simulated : 0)),
    texts: records.map(({ state, description }) => packAlarm({ state, authority: 'operator', description })),
  };
  const blocks: never[] = [];
  return { series: [{ series, tail: records.length > 0 ? tail : undefined, blocks, tombstones: [], cutOffUs: 0 }] };
}

interface Asked {
  readonly plant: Plant;
  readonly since: number;
  readonly until: number;
  readonly states: readonly AlarmState[] | undefined;
  readonly words: readonly string[];
  readonly limit: number;
  readonly simulated: 'exclude' | 'only' | undefined;
  readonly pageBytes: number;
  readonly steps: number;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  plant,
  since: fc.integer({ min: 0, max: 45 }),
  until: fc.integer({ min: 0, max: 45 }),
  states: fc.option(fc.uniqueArray(fc.constantFrom(...alarmStates)), { nil: undefined }),
  words: fc.subarray(['too', 'high', 'motor']),
  limit: fc.integer({ min: 1, max: 30 }),
  simulated: fc.constantFrom(undefined, 'exclude', 'only'),
  pageBytes: fc.constantFrom(1, 64, 4096),
  steps: fc.integer({ min: 1, max: 9 }),
});

function readPage(wanted: Asked, transitions: TransitionsRequest): AlarmTransitions {
  const names = Object.keys(wanted.plant).reverse();
  let ms = 0;
  const query = new NewestTransitions(
    {
      kind: 'alarms',
      names: ['unknown', ...names],
      known: [],
      sinceUs: wanted.since,
      untilUs: wanted.until,
      form: 'json',
      simulated: wanted.simulated,
      transitions,
    },
    {
      blockOf: () => assert.fail('everything is in memory'),
      onDamage: ({ reason }) => assert.fail(reason),
      buffers: new PageBuffers(wanted.pageBytes),
      stepsATime: wanted.steps,
      nowMs: () => (ms += 1000),
    },
  );
  const pages: Buffer[] = [];
  while (!query.isOver) {
    const { wanted: name } = query;
    const at = name === undefined ? -1 : names.indexOf(name);
    if (name !== undefined) query.give(at < 0 ? undefined : snapshotOf(name, wanted.plant[name] ?? [], at));
    pages.push(Buffer.from(query.next() ?? assert.fail('it ends twice')));
  }
  assert.equal(query.next(), undefined);
  return JSON.parse(Buffer.concat(pages).toString()) as AlarmTransitions;
}

/** All of it, however many pages that takes; none is longer than was asked for, and all but the last are as long. */
function readAll(wanted: Asked): string[] {
  const { states, words, limit } = wanted;
  const all: string[] = [];
  for (let before: string | undefined; ; ) {
    const place = before === undefined ? undefined : (readPlace(before) ?? assert.fail(`${before} is no place`));
    const page = readPage(wanted, { limit, words, states: states && new Set(states), before: place });
    all.push(
      ...page.transitions.map(({ name, t, state, description }) => textOf(name, fromTimestamp(t), state, description)),
    );
    before = page.next;
    if (before === undefined) return all;
    assert.equal(page.transitions.length, limit);
  }
}

const textOf = (name: string, t: number, state: AlarmState, description: string) =>
  `${t} ${name} ${state} ${description}`;

/** By the words of the design alone. */
function expected({ plant, since, until, states, words, simulated: which }: Asked): string[] {
  const rows = Object.entries(plant).flatMap(([name, records]) =>
    records.toReversed().map((each) => ({ name, ...each })),
  );
  return rows
    .filter(({ t }) => t >= since && t < until)
    .filter(({ isSimulated }) => which === undefined || isSimulated === (which === 'only'))
    .filter(({ state }) => states?.includes(state) ?? true)
    .filter(({ name, description }) => words.every((word) => `${name} ${description}`.toLowerCase().includes(word)))
    .sort((a, b) => b.t - a.t || Number(a.name > b.name) - Number(a.name < b.name))
    .map(({ name, t, state, description }) => textOf(name, t, state, description));
}

test('page after page, the transitions of all alarms come once each, the newest first', () => {
  fc.assert(fc.property(asked, (wanted) => assert.deepEqual(readAll(wanted), expected(wanted))));
});

test('once a page is full, older records are not asked for any more', () => {
  const sinceOf: number[] = [];
  const records = [3, 7, 9].map((t): Recorded => ({ t, state: 'ACT_ACK', description: '', isSimulated: false }));
  const query = new NewestTransitions(
    { kind: 'alarms', names: ['a', 'b'], known: [], sinceUs: 0, untilUs: 100, form: 'json', transitions: { limit: 2 } },
    { blockOf: () => assert.fail(), onDamage: () => assert.fail() },
  );
  while (!query.isOver) {
    sinceOf.push(query.sinceUs);
    if (query.wanted !== undefined) query.give(snapshotOf(query.wanted, records, 1));
    query.next();
  }
  assert.deepEqual(sinceOf, [0, 7]);
});

test('very long texts make a page shorter, and none is lost', () => {
  const description = 'x'.repeat(30_000);
  const records = Array.from({ length: 200 }, (_, at): Recorded => {
    return { t: at + 1, state: 'ACT_ACK', description, isSimulated: false };
  });
  const limits = { since: 0, until: 1000, limit: 10_000, pageBytes: 4096, steps: 8 };
  const wanted = { plant: { a: records }, states: undefined, words: [], simulated: undefined, ...limits };
  const first = readPage(wanted, { limit: 10_000 });
  assert.ok(first.transitions.length < 150, `${first.transitions.length}`);
  const rest = readPage(wanted, { limit: 10_000, before: readPlace(first.next ?? '') });
  assert.deepEqual(
    [...first.transitions, ...rest.transitions].map(({ t }) => fromTimestamp(t)),
    records.map(({ t }) => t).reverse(),
  );
});
