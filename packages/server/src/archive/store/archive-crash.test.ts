// Ends the process, as far as its files can see, before each call that changes a file, and in the middle of each write.
import assert from 'node:assert/strict';
import fs, { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { observed } from '../../../test/observed-files.ts';
import {
  append,
  keys,
  type ModelRecord,
  type PlainRecord,
  plainOf,
  read,
  StoreModel,
} from '../../../test/store-model.ts';
import { systemDisk } from '../files/disk.ts';
import type { SeriesKey } from '../records.ts';
import { ArchiveStore } from './archive-store.ts';
import { runCompaction } from './run-compaction.ts';

const root = temporaryFolder(suiteCleanup());

const clock = new ManualClock();
const nowUs = clock.now();
const weekUs = 7 * 86_400_000_000;
const level = keys[0] as SeriesKey;

/** For looking at what is left, which may be lost. */
const unsynced = { ...systemDisk, sync() {}, syncData() {} };

type Content = readonly (readonly PlainRecord[])[];

/** A copy of the folder at one moment, and what it may have in it. */
interface Moment {
  readonly folder: string;
  readonly call: string;
  readonly before: Content;
  readonly after: () => Content;
}

function open(folder: string, disk = systemDisk): ArchiveStore {
  return ArchiveStore.open(folder, { clock, disk, onDamage: ({ file, reason }) => assert.fail(`${file}: ${reason}`) });
}

function contentOf(store: ArchiveStore): Content {
  return keys.map((_, key) => read(store, key));
}

function modelContent(model: StoreModel): Content {
  return keys.map((_, key) => model.shown(key, 0).map(plainOf));
}

/** Of every series, in several weeks and with a wrong clock; some take the place of those before. */
function someRecords(round: number): ModelRecord[] {
  return [0, 1, 2, 3].flatMap((key) =>
    [5, nowUs - weekUs, nowUs - weekUs + round, nowUs - 2, nowUs + round].map((time, at) => {
      const value =
        key === 1 ? BigInt(at - round) : key === 2 ? `text ${round} ${at}` : key === 3 ? at % 2 === 0 : round;
      return { key, time, value, quality: 0xc0, isReplacing: at === 3 && round % 2 === 1 };
    }),
  );
}

/** Does everything that changes files. `during` is told of each operation, with what the archive has after it. */
function live(store: ArchiveStore, model: StoreModel, during: (act: () => void) => void): void {
  const merge = (all: boolean) => {
    const plan = store.planCompaction(all);
    if (plan === undefined) return false;
    store.compactionDone(
      plan,
      runCompaction(
        plan,
        () => {},
        () => false,
      ),
    );
    return true;
  };
  const maintain = () => {
    while (store.maintain(0));
  };
  const erase = (sinceUs: number, untilUs: number, key = level) =>
    during(() => {
      store.erase(key.kind, key.name, sinceUs, untilUs);
      model.erase(key, sinceUs, untilUs);
    });
  for (let round = 0; round < 4; round++) {
    append(store, someRecords(round));
    model.append(someRecords(round));
    during(() => {
      store.commit();
      model.commit();
    });
    if (round === 1) erase(nowUs, nowUs + 2);
    during(() => store.freeze());
    if (round === 2) erase(nowUs - weekUs + 1, nowUs - weekUs + 2);
    during(maintain);
  }
  erase(nowUs - 2, nowUs + 1);
  during(() => assert.ok(merge(false)));
  during(() => store.unlink(store.obsolete()));
  during(maintain);
  during(() => {
    while (merge(true));
  });
  erase(0, 2 ** 53);
  during(() => assert.ok(merge(false)));
  during(maintain);
  during(() => store.unlink(store.obsolete()));
  during(maintain);
  // Nothing is left of the blocks then.
  for (const key of keys) erase(0, 2 ** 53, key);
  during(() => {
    while (merge(true));
  });
  during(maintain);
  during(() => store.unlink(store.obsolete()));
  during(maintain);
}

test('whatever moment the process ends at, what was acknowledged is there, once, and nothing that was erased', () => {
  const folder = join(root, 'folder');
  const model = new StoreModel();
  const moments: Moment[] = [];
  const store = open(folder);
  live(store, model, (act) => {
    const before = modelContent(model);
    const now = { after: before };
    observed(act, (call) => {
      const copy = join(root, `moment-${moments.length}`);
      cpSync(folder, copy, { recursive: true });
      moments.push({ folder: copy, call, before, after: () => now.after });
    });
    now.after = modelContent(model);
    assert.deepEqual(contentOf(store), now.after);
  });
  store.close();
  assert.ok(moments.length > 100, `${moments.length} moments`);
  for (const [index, { folder: copy, call, before, after: later }] of moments.entries()) {
    const reopened = open(copy, unsynced);
    const content = contentOf(reopened);
    const message = `ended before call ${index}, ${call}`;
    if (JSON.stringify(text(content)) !== JSON.stringify(text(before))) assert.deepEqual(content, later(), message);
    while (reopened.maintain(0));
    reopened.unlink(reopened.obsolete());
    assert.deepEqual(contentOf(reopened), content, message);
    reopened.close();
  }
});

test('a process that ends again while it clears away what the first end left loses nothing either', () => {
  const folder = join(root, 'twice');
  const model = new StoreModel();
  const store = open(folder);
  const moments: string[] = [];
  live(store, model, (act) => {
    if (moments.length > 0) return act();
    // Between the blocks of a flush and the end of its journal.
    observed(act, (call) => {
      if (call !== 'rmSync' || !fs.readdirSync(folder).some((name) => name.endsWith('.ttb'))) return;
      if (moments.length > 0) return;
      moments.push(join(root, 'twice-flush'));
      cpSync(folder, join(root, 'twice-flush'), { recursive: true });
    });
  });
  store.close();
  assert.equal(moments.length, 1);
  const expected = (() => {
    cpSync(moments[0] as string, join(root, 'twice-expected'), { recursive: true });
    const reopened = open(join(root, 'twice-expected'));
    const content = contentOf(reopened);
    reopened.close();
    return content;
  })();
  assert.ok(expected.some(({ length }) => length > 0));
  let count = 0;
  observed(
    () => {
      const reopened = open(moments[0] as string);
      while (reopened.maintain(0));
      reopened.close();
    },
    () => cpSync(moments[0] as string, join(root, `again-${count++}`), { recursive: true }),
  );
  assert.ok(count > 10);
  for (let moment = 0; moment < count; moment++) {
    const reopened = open(join(root, `again-${moment}`), unsynced);
    assert.deepEqual(contentOf(reopened), expected, `ended before call ${moment}`);
    reopened.close();
  }
});

/** For comparing: JSON has no 64-bit integers. */
function text(content: Content): unknown {
  return content.map((records) => records.map(({ time, value, quality }) => [time, String(value), quality]));
}
