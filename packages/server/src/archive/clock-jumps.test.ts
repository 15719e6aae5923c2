// The time of day jumps while values come: from the rules to the files and back out of a query.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Batch, quality } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { PlainDisk } from '../../test/plain-disk.ts';
import { Commands, Measurements } from '../points/index.ts';
import { systemDisk } from './files/disk.ts';
import { OpenBlocks } from './open-blocks.ts';
import { ArchiveQuery } from './query/archive-query.ts';
import { oldestPlausibleUs, type SeriesKey } from './records.ts';
import { Archiving } from './rules/archiving.ts';
import type { RecordSink } from './rules/recorder.ts';
import { needsHead } from './snapshot-request.ts';
import { ArchiveStore } from './store/archive-store.ts';
import { openBlock } from './store/block-list.ts';
import { runCompaction } from './store/run-compaction.ts';

const root = temporaryFolder(suiteCleanup());

const disk = { ...systemDisk, sync() {}, syncData() {} };
const [hourMs, dayMs] = [3_600_000, 86_400_000];
const keepAll = { ofSeries: new Map<string, number>() };

/** Into the archive at once. */
class StoreSink implements RecordSink {
  readonly batch = new Batch();
  store: ArchiveStore;
  readonly #sources: SeriesKey[] = [];

  constructor(store: ArchiveStore) {
    this.store = store;
  }

  refOf(key: SeriesKey): number {
    return this.#sources.push(key) - 1;
  }

  added(): void {
    const { store, batch } = this;
    store.append(
      batch,
      Uint32Array.from(this.#sources, (key) => store.seriesOf(key).number),
    );
    store.commit();
    batch.clear();
  }
}

/** A level that is archived whenever it changes, which it does at every scan, and a beat that is archived each second. */
class Plant {
  readonly clock = new ManualClock();
  readonly folder = mkdtempSync(join(root, 'archive-'));
  readonly archiving: Archiving;
  /** Times of the level; its values count on from 0. */
  readonly scannedUs: number[] = [];
  #store = this.#open();
  readonly #sink = new StoreSink(this.#store);
  readonly #measurements: Measurements;

  constructor() {
    const { clock } = this;
    const sink = this.#sink;
    const store = new PlainDisk();
    const measurements = new Measurements({ clock, store });
    const commands = new Commands({ clock, store, writeToDevice: async () => undefined });
    this.#measurements = measurements;
    this.archiving = new Archiving({ clock, measurements, commands, sink, onJump: () => undefined });
    measurements.onChanges((changes) => this.archiving.onChanges(changes));
    measurements.putLink('connector', 'c', undefined);
    measurements.setLink('connector', 'c', true, clock.now());
    const ofLink = { connectorName: 'c', address: 'a' };
    for (const point of [
      { ...ofLink, name: 'level', datatype: 'l', archMode: 'change' } as const,
      { ...ofLink, name: 'beat', datatype: 'b', archPeriod: 1000 } as const,
    ]) {
      measurements.put(point);
      this.archiving.put('measurements', measurements.find(point.name), point);
    }
    this.#publish('beat', true);
  }

  get store(): ArchiveStore {
    return this.#store;
  }

  scan(count: number): void {
    for (let at = 0; at < count; at++) {
      this.clock.advance(500);
      this.#publish('level', BigInt(this.scannedUs.length));
      this.scannedUs.push(this.clock.now());
    }
  }

  flush(): void {
    this.#store.freeze();
    while (this.#store.maintain(5));
  }

  merge(all: boolean): void {
    while (this.#store.maintain(5));
    for (let plan = this.#store.planCompaction(all); plan !== undefined; plan = this.#store.planCompaction(all)) {
      this.#store.compactionDone(
        plan,
        runCompaction(
          plan,
          () => {},
          () => false,
          disk,
        ),
      );
    }
    this.#store.unlink(this.#store.obsolete());
  }

  reopen(): void {
    this.#store.close();
    this.#store = this.#sink.store = this.#open();
  }

  /** Everything that a query gives of a name: value and time. */
  read(name: string, sinceUs = 0, untilUs = 2 ** 53 - 1, warpHead = false): (readonly [string, number])[] {
    const request = {
      kind: 'measurements',
      names: [name],
      known: [],
      sinceUs,
      untilUs,
      form: 'json',
      warpHead,
    } as const;
    const opened = new OpenBlocks(openBlock);
    const blockOf = (path: string) => opened.get(path);
    const query = new ArchiveQuery(request, { blockOf, onDamage: ({ reason }) => assert.fail(reason) });
    let text = '';
    for (let page: Uint8Array | undefined; !query.isOver; text += Buffer.from(page ?? []).toString()) {
      const { kind } = request;
      if (query.wanted !== undefined) {
        query.give(this.#store.snapshot(this.#store.find(kind, name), sinceUs, untilUs, needsHead(request)));
      }
      page = query.next();
    }
    opened.close();
    const records = JSON.parse(text)[name] as [string, [number, number], number][];
    return records.map(([value, [seconds, us]]) => [value, seconds * 1_000_000 + us] as const);
  }

  /** Each scan is there once, in order of time, then of arrival. */
  checkAll(): void {
    const scans = this.scannedUs.map((timeUs, value) => [`l${value}`, timeUs] as const);
    assert.deepEqual(
      this.read('level'),
      scans.sort(([, a], [, b]) => a - b),
    );
  }

  close(): void {
    this.archiving.close();
    this.#measurements.close();
    this.#store.close();
  }

  #publish(name: string, value: bigint | boolean): void {
    const batch = new Batch(8);
    batch.value(this.#measurements.find(name), value, quality.good, this.clock.now());
    this.#measurements.readings('c', batch);
  }

  #open(): ArchiveStore {
    return ArchiveStore.open(this.folder, {
      clock: this.clock,
      onDamage: ({ reason }) => assert.fail(reason),
      disk,
    });
  }
}

test('AR-14: an hour forward, an hour back, some seconds or a day: no record is lost, all are in time order', () => {
  for (const jumpMs of [hourMs, -hourMs, -20_000, dayMs, -dayMs, 3 * dayMs, -3 * dayMs]) {
    const plant = new Plant();
    const { clock, archiving } = plant;
    plant.scan(100);
    plant.flush();
    plant.scan(20);
    clock.jump(jumpMs);
    plant.scan(100);
    plant.checkAll();
    const beats = plant.read('beat').map(([, timeUs]) => timeUs);
    assert.equal(beats.length, 110, 'one a second of the even clock');
    plant.flush();
    plant.checkAll();
    plant.merge(true);
    plant.checkAll();
    plant.reopen();
    plant.checkAll();
    assert.deepEqual(
      plant.read('beat').map(([, timeUs]) => timeUs),
      beats,
    );
    const { jumpCount, jumps, counts } = archiving.stats();
    assert.deepEqual([jumpCount, jumps.map(({ byUs }) => byUs)], [1, [jumpMs * 1000]]);
    assert.equal(counts.handedOn, plant.store.stats().records);
    plant.close();
  }
});

test('AR-20: whatever the clock does within an hour, and whatever the retention, nothing is lost for good', () => {
  const aJump = fc.constantFrom(20_000, 61_000, hourMs, dayMs, 400 * dayMs, 20_000 * dayMs);
  const aStep = fc.oneof(
    fc.record({ kind: fc.constant('scan' as const), count: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('jump' as const), ms: fc.tuple(aJump, fc.constantFrom(1, -1)) }),
    fc.record({ kind: fc.constantFrom('flush' as const, 'merge' as const, 'mergeAll' as const) }),
  );
  fc.assert(
    fc.property(fc.array(aStep, { maxLength: 30, size: 'max' }), (steps) => {
      const plant = new Plant();
      const { clock, store } = plant;
      store.setRetention({ defaultUs: 30 * dayMs * 1000, ofSeries: new Map() });
      // Time enough for the clock to be trusted, until it jumps.
      plant.scan(1);
      for (const step of steps) {
        if (step.kind === 'scan') plant.scan(step.count);
        else if (step.kind === 'flush') plant.flush();
        else if (step.kind === 'jump') {
          const ms = step.ms[0] * step.ms[1];
          const nowUs = clock.now() + ms * 1000;
          if (nowUs > 0 && nowUs < 2 ** 52) clock.jump(ms);
        } else plant.merge(step.kind === 'mergeAll');
        const cutOffUs = clock.now() - 30 * dayMs * 1000;
        const shown = plant.scannedUs.filter((timeUs) => timeUs < oldestPlausibleUs || timeUs >= cutOffUs);
        assert.equal(plant.read('level').length, shown.length);
      }
      store.setRetention(keepAll);
      const found = plant.read('level');
      assert.ok(found.every(([, timeUs], at) => timeUs >= (found[at - 1]?.[1] ?? 0)));
      // Of several at the same time, the one of a clock that was decades behind may come first.
      assert.deepEqual(
        found.sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1))),
        plant.scannedUs.map((timeUs, value) => [`l${value}`, timeUs]),
      );
      plant.close();
    }),
    { numRuns: 40 },
  );
});

test('AR-21: a query gives what is before 2000 and what has not expired, whatever it asks for', () => {
  const plant = new Plant();
  const { clock, store } = plant;
  const nowUs = clock.now();
  clock.jump(-nowUs / 1000 + 1000);
  plant.scan(20);
  clock.jump((oldestPlausibleUs - clock.now()) / 1000 - 5000);
  plant.scan(20); // some before 2000, some after
  clock.jump((nowUs - clock.now()) / 1000);
  plant.scan(20);
  store.setRetention({ defaultUs: 5_000_000, ofSeries: new Map() });
  const cutOffUs = clock.now() - 5_000_000;
  const check = () => {
    const someUs = [0, 5_000_000, oldestPlausibleUs, oldestPlausibleUs + 1_000_000, cutOffUs, cutOffUs + 2_000_000];
    for (const sinceUs of someUs) {
      for (const untilUs of [...someUs, 2 ** 53 - 1].filter((us) => us > sinceUs)) {
        const shown = plant.scannedUs.filter((us) => {
          return us >= sinceUs && us < untilUs && (us < oldestPlausibleUs || us >= cutOffUs);
        });
        assert.deepEqual(
          plant.read('level', sinceUs, untilUs).map(([, timeUs]) => timeUs),
          shown,
        );
      }
    }
    const headAt = (us: number) => plant.read('level', us, us + 1, true).map(([value]) => value);
    assert.deepEqual([4_000_000, oldestPlausibleUs - 1].map(headAt), [['l5'], ['l28']]);
    assert.deepEqual(headAt(cutOffUs - 250_000), [], 'what was in force has expired');
    assert.deepEqual(headAt(cutOffUs + 250_000), ['l49']);
  };
  check();
  plant.flush();
  check();
  plant.merge(true);
  check();
  plant.close();
});
