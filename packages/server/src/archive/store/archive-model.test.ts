// Holds the archive against a plain model, whatever is done to it in whatever order, crashes included.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Value } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import {
  append,
  keys,
  type ModelRecord,
  type PlainRecord,
  plainOf,
  read,
  StoreModel,
  within,
} from '../../../test/store-model.ts';
import { systemDisk } from '../files/disk.ts';
import { farthestAheadUs, oldestPlausibleUs, type SeriesKey } from '../records.ts';
import { ArchiveStore } from './archive-store.ts';
import type { CompactionPlan } from './compaction-plan.ts';
import { runCompaction } from './run-compaction.ts';

const root = temporaryFolder(suiteCleanup());

const nowUs = 1_700_000_000_000_000;
const dayUs = 86_400_000_000;
/** Some hours of some weeks, those of wrong clocks, and one that is right a week later. */
const timesUs = [
  ...[0, 5, 10].flatMap((day) => [0, 1, 2].map((second) => nowUs - day * dayUs + 1_000_000 * second)),
  5,
  nowUs + 5 * dayUs,
  nowUs + 1000 * dayUs,
];

/** A crash of the process loses nothing that was written, synced or not. */
const disk = { ...systemDisk, sync() {}, syncData() {} };

type Step =
  | { readonly kind: 'append'; readonly records: readonly ModelRecord[] }
  | { readonly kind: 'erase'; readonly key: number; readonly sinceUs: number; readonly untilUs: number }
  | { readonly kind: 'maintain'; readonly steps: number }
  | { readonly kind: 'plan'; readonly all: boolean }
  | { readonly kind: 'retain'; readonly days: number; readonly ofOneDays: number }
  | { readonly kind: 'commit' | 'freeze' | 'flush' | 'merge' | 'unlink' | 'wait' | 'crash' | 'reopen' | 'startBehind' };

function someValue(key: number, number: number): Value {
  const { datatype } = keys[key] as SeriesKey;
  if (datatype === 's') return 'x'.repeat(number);
  if (datatype === 'l') return 2n ** 62n + BigInt(number);
  return datatype === 'b' ? number % 2 === 1 : number / 4;
}

const aTime = fc.constantFrom(...timesUs);
const aRecord = fc
  .record({
    key: fc.constantFrom(0, 0, 0, 1, 2, 3),
    time: aTime,
    number: fc.nat(20),
    quality: fc.constantFrom(0xc0, 0x18),
    isReplacing: fc.boolean(),
  })
  .map(({ key, number, ...rest }): ModelRecord => ({ key, value: someValue(key, number), ...rest }));

const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('append'), records: fc.array(aRecord, { maxLength: 12, size: 'max' }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('erase'), key: fc.constantFrom(0, 2, 3), sinceUs: aTime, untilUs: aTime }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('maintain'), steps: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('plan'), all: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('retain'), days: fc.integer({ min: 6, max: 30 }), ofOneDays: fc.nat(12) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('commit', 'freeze', 'flush', 'flush', 'merge', 'merge') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('unlink', 'wait', 'crash', 'reopen', 'startBehind') }) },
) as fc.Arbitrary<Step>;

class Archive {
  readonly model = new StoreModel();
  readonly clock = new ManualClock(nowUs);
  store: ArchiveStore;
  #folder: string;
  #crashes = 0;
  #plan: CompactionPlan | undefined;
  /** In days; they only ever become shorter, as what has gone is gone. */
  #days: readonly [number, number] | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.store = this.#open();
  }

  carryOut(step: Step): void {
    const { store, model } = this;
    if (step.kind === 'append') {
      append(store, step.records);
      model.append(step.records.map((record) => ({ ...record, cameUs: this.clock.now() })));
    } else if (step.kind === 'commit' || step.kind === 'freeze') {
      store[step.kind]();
      model.commit();
    } else if (step.kind === 'flush') {
      store.freeze();
      model.commit();
      while (store.maintain(0));
    } else if (step.kind === 'erase') {
      const key = keys[step.key] as SeriesKey;
      store.erase(key.kind, key.name, step.sinceUs, step.untilUs);
      model.erase(key, step.sinceUs, step.untilUs);
    } else if (step.kind === 'maintain') for (let count = 0; count < step.steps; count++) store.maintain(0);
    else if (step.kind === 'plan') this.#plan ??= store.planCompaction(step.all);
    else if (step.kind === 'merge') this.#merge();
    else if (step.kind === 'unlink') store.unlink(store.obsolete());
    else if (step.kind === 'wait') this.clock.advance(dayUs / 1000);
    else if (step.kind === 'retain') this.#retain(step.days, step.ofOneDays);
    else if (step.kind === 'crash') this.#crash();
    else if (step.kind === 'reopen') this.#reopen();
    else this.#startBehind();
  }

  check(sinceUs: number, untilUs: number): void {
    for (const key of keys.keys()) {
      const cutOffUs = this.#cutOff(key);
      const retained = this.#retained(key, cutOffUs);
      for (const needsHead of [false, true]) {
        assert.deepEqual(
          read(this.store, key, sinceUs, untilUs, needsHead),
          within(retained, { sinceUs, untilUs, needsHead, cutOffUs }),
        );
      }
    }
  }

  #cutOff(key: number): number {
    if (this.#days === undefined) return 0;
    return this.clock.now() - (key === 0 || key === 1 ? this.#days[1] : this.#days[0]) * dayUs;
  }

  /** What is shown, without the records of a wrong clock that came so long ago that their block may have gone. */
  #retained(key: number, cutOffUs: number): PlainRecord[] {
    const isAstray = ({ time, cameUs = 0 }: ModelRecord) => time < oldestPlausibleUs || time > cameUs + farthestAheadUs;
    const found = read(this.store, key);
    const retained: PlainRecord[] = [];
    // The oldest blocks go first: from the end on, of equal records the newer ones are those that are left.
    for (const record of this.model.shown(key, cutOffUs).reverse()) {
      const isFound = isDeepStrictEqual(plainOf(record), found.at(-1));
      if (isFound) found.pop();
      const mayBeGone = isAstray(record) && (record.cameUs ?? 0) < cutOffUs;
      if (isFound || !mayBeGone) retained.unshift(plainOf(record));
    }
    return retained;
  }

  #retain(days: number, ofOneDays: number): void {
    const [before, ofOneBefore] = this.#days ?? [days, ofOneDays];
    this.#days = [Math.min(before, days), Math.min(ofOneBefore, ofOneDays)];
    this.#applyRetention(this.store);
  }

  #applyRetention(store: ArchiveStore): void {
    if (this.#days === undefined) return;
    const [days, ofOneDays] = this.#days;
    store.setRetention({ defaultUs: days * dayUs, ofSeries: new Map([['measurements/level', ofOneDays * dayUs]]) });
  }

  #merge(): void {
    const plan = this.#plan ?? this.store.planCompaction(true);
    this.#plan = undefined;
    if (plan === undefined) return;
    const outcome = runCompaction(
      structuredClone(plan),
      () => {},
      () => false,
      disk,
    );
    assert.equal(outcome.kind, 'compacted');
    this.store.compactionDone(plan, outcome);
  }

  #reopen(): void {
    this.store.close();
    this.model.commit();
    this.#plan = undefined;
    this.store = this.#open();
  }

  /** With a clock that has no battery, which is set when everything is in blocks. */
  #startBehind(): void {
    const aheadMs = this.clock.now() / 1000 - 5000;
    this.clock.jump(-aheadMs);
    this.#reopen();
    while (this.store.maintain(0));
    this.clock.jump(aheadMs);
    this.#reopen();
  }

  /** The process ends here and now: what is in the folder is what there is. */
  #crash(): void {
    const copy = `${this.#folder}-${++this.#crashes}`;
    cpSync(this.#folder, copy, { recursive: true });
    this.store.close();
    this.#folder = copy;
    this.#plan = undefined;
    this.model.crash();
    this.store = this.#open();
  }

  #open(): ArchiveStore {
    const store = ArchiveStore.open(this.#folder, {
      clock: this.clock,
      onDamage: ({ reason }) => assert.fail(reason),
      limits: { records: 24, textUnits: 200 },
      disk,
    });
    this.#applyRetention(store);
    return store;
  }
}

test('every committed record is there and nothing else, whatever is done in whatever order', () => {
  let runs = 0;
  const steps = fc.array(fc.tuple(aStep, aTime, aTime), { minLength: 1, maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(steps, (all) => {
      const folder = join(root, String(runs++));
      mkdirSync(folder);
      const archive = new Archive(folder);
      for (const [step, sinceUs, untilUs] of all) {
        archive.carryOut(step);
        archive.check(Math.min(sinceUs, untilUs), Math.max(sinceUs, untilUs));
      }
      archive.check(0, 2 ** 53);
      for (const kind of ['freeze', 'crash'] as const) archive.carryOut({ kind });
      while (archive.store.maintain(0));
      archive.check(0, 2 ** 53);
      archive.store.close();
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 25) },
  );
});
