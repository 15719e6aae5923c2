// Promises of uploaded executables: an acknowledged one is complete, or reported and not handed out; one that was put
// in place by hand is used; no crash on the way is taken for damage.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ProblemError, type ProblemName } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { damagesTo } from '../../test/damage.ts';
import { PaperUploads } from '../../test/paper-uploads.ts';
import { Executables } from './executables.ts';
import type { UploadRecord } from './uploads.ts';

const root = temporaryFolder(suiteCleanup());
const program = '#!/bin/sh\necho all is well\n';

interface Bench {
  readonly folder: string;
  readonly store: PaperUploads;
  readonly executables: Executables;
  readonly reported: string[];
}

/** A server that finds what another one left. */
async function open(folder = mkdtempSync(join(root, 'made-')), stored: Iterable<UploadRecord> = []): Promise<Bench> {
  const store = new PaperUploads();
  for (const upload of stored) store.stored.set(upload.name, upload);
  const reported: string[] = [];
  const executables = new Executables({ folder, store, onDamage: (damage) => reported.push(damage) });
  await executables.open([...store.stored.values()]);
  return { folder, store, executables, reported };
}

const restart = ({ folder, store }: Bench) => open(folder, store.stored.values());

const put = ({ executables }: Bench, bytes = program, path?: string) =>
  executables.put('pump', path, Readable.from([Buffer.from(bytes)]));

const get = async ({ executables }: Bench) => text((await executables.get('pump', undefined)).stream);

const named = (name: ProblemName, detail: RegExp) => (error: unknown) =>
  error instanceof ProblemError && error.problem === name && detail.test(error.message);

const place = ({ executables }: Bench) => executables.pathOf('pump', undefined);

test('an upload that is flipped, cut off, emptied or removed is reported once, and not handed out', async () => {
  const whole = await open();
  await put(whole);
  await whole.executables.checkAll();
  assert.deepEqual(whole.executables.missing, []);
  for (const { title, apply } of damagesTo(whole.folder, [relative(whole.folder, place(whole))])) {
    const copy = mkdtempSync(join(root, 'copy-'));
    cpSync(whole.folder, copy, { recursive: true });
    apply(copy);
    const { executables, reported } = await open(copy, whole.store.stored.values());
    await executables.checkAll();
    assert.match(
      reported.join(),
      /^executables\/pump-\w{8}\/executable is (gone: 27 bytes|not as it was uploaded: )/,
      title,
    );
    assert.deepEqual(executables.missing, reported, title);
    const problem = title.endsWith('removed') ? 'no-executable' : 'executable-damaged';
    const refused = named(problem, /^The executable of pump is (gone|not as it was uploaded): /);
    await assert.rejects(executables.get('pump', undefined), refused, title);
    await assert.rejects(executables.stat('pump', undefined), refused, title);
    assert.equal(reported.length, 1, 'told once');
  }
});

describe('damage is no longer reported', () => {
  test('as soon as the executable is uploaded again, or put back as it was', async () => {
    const bench = await open();
    await put(bench);
    writeFileSync(place(bench), program.replace('well', 'bad!'));
    const again = await restart(bench);
    await again.executables.checkAll();
    assert.equal(again.executables.missing.length, 1);
    await put(again);
    assert.deepEqual([again.executables.missing, await get(again)], [[], program]);

    writeFileSync(place(bench), 'cut');
    await assert.rejects(get(again), named('executable-damaged', /it has 3 of 27 bytes/));
    writeFileSync(place(bench), program);
    assert.equal(await get(again), program);
    assert.deepEqual(again.executables.missing, []);
  });

  test('when somebody acknowledges it: what is there counts from then on, also after a restart', async () => {
    const bench = await open();
    await put(bench);
    await put(bench, program, 'bin/other');
    writeFileSync(place(bench), 'of an operator');
    rmSync(bench.executables.pathOf('pump', 'bin/other'));
    await bench.executables.checkAll();
    assert.equal(bench.executables.missing.length, 2);
    await bench.executables.acknowledgeMissing();
    for (const each of [bench, await restart(bench)]) {
      await each.executables.checkAll();
      assert.deepEqual([each.executables.missing, await get(each)], [[], 'of an operator']);
    }
    assert.equal(bench.store.stored.size, 1);
  });

  test('when it is deleted, though there is nothing to delete', async () => {
    const bench = await open();
    await put(bench);
    rmSync(dirname(place(bench)), { recursive: true });
    await bench.executables.checkAll();
    assert.equal(bench.executables.missing.length, 1);
    const none = named('no-executable', /^pump has no executable/);
    await assert.rejects(bench.executables.delete('pump', undefined), none);
    assert.deepEqual([bench.executables.missing, bench.store.stored.size], [[], 0]);
  });
});

test('of many damages, five are reported and the others are counted', async () => {
  const bench = await open();
  for (let number = 0; number < 8; number++) await put(bench, program, `p${number}`);
  rmSync(dirname(place(bench)), { recursive: true });
  await bench.executables.checkAll();
  assert.equal(bench.executables.missing.length, 6);
  assert.match(bench.executables.missing.at(-1) ?? '', /^3 more executables are gone/);
});

describe('an executable that was put in its place by hand', () => {
  test('is used, whatever it is', async () => {
    const bench = await open();
    mkdirSync(dirname(place(bench)), { recursive: true });
    for (const bytes of ['one', 'another']) {
      writeFileSync(place(bench), bytes);
      await bench.executables.checkAll();
      assert.deepEqual([bench.executables.missing, await get(bench)], [[], bytes]);
      assert.equal(bench.executables.uploadedAs('pump', undefined), undefined);
    }
  });

  test('is used where an upload was deleted before', async () => {
    const bench = await open();
    await put(bench);
    await bench.executables.delete('pump', undefined);
    writeFileSync(place(bench), 'by hand');
    const again = await restart(bench);
    await again.executables.checkAll();
    assert.deepEqual([again.executables.missing, await get(again)], [[], 'by hand']);
  });
});

describe('a crash', () => {
  /** The folder and what is kept, as they were just before each change that is kept, and after all of it. */
  async function crashesIn(bench: Bench, work: () => Promise<void>): Promise<Bench[]> {
    const found: { folder: string; stored: UploadRecord[] }[] = [];
    const look = () => {
      const folder = mkdtempSync(join(root, 'crash-'));
      cpSync(bench.folder, folder, { recursive: true });
      found.push({ folder, stored: [...bench.store.stored.values()] });
    };
    bench.store.onChange = look;
    await work();
    look();
    // A change may be on disk before whoever asked for it goes on: the files of before with what is kept after.
    const between = found.slice(1).map(({ stored }, at) => ({ folder: found[at]?.folder, stored }));
    return Promise.all(
      [...found, ...between].map(({ folder = '', stored }) => {
        const copy = mkdtempSync(join(root, 'copy-'));
        cpSync(folder, copy, { recursive: true });
        return open(copy, stored);
      }),
    );
  }

  test('while one upload replaces another leaves one of the two, and is no damage', async () => {
    const bench = await open();
    await put(bench);
    const crashes = await crashesIn(bench, () => put(bench, 'the new one'));
    assert.ok(crashes.length >= 5);
    for (const crash of crashes) {
      await crash.executables.checkAll();
      assert.deepEqual(crash.executables.missing, []);
      assert.ok([program, 'the new one'].includes(await get(crash)));
      writeFileSync(place(crash), 'neither');
      await crash.executables.checkAll();
      assert.equal(crash.executables.missing.length, 1, 'other bytes are damage, here too');
    }
  });

  test('in the first upload, or in one over a file that was put there by hand, is no damage', async () => {
    for (const prepare of [() => undefined, (path: string) => writeFileSync(path, 'by hand')]) {
      const bench = await open();
      mkdirSync(dirname(place(bench)), { recursive: true });
      prepare(place(bench));
      for (const crash of await crashesIn(bench, () => put(bench))) {
        await crash.executables.checkAll();
        assert.deepEqual(crash.executables.missing, []);
      }
    }
  });

  test('while one is deleted, or makes room for a folder, is no damage', async () => {
    for (const work of [
      (bench: Bench) => bench.executables.delete('pump', undefined),
      (bench: Bench) => put(bench, program, 'executable/inner'),
    ]) {
      const bench = await open();
      await put(bench);
      for (const crash of await crashesIn(bench, () => work(bench))) {
        await crash.executables.checkAll();
        assert.deepEqual(crash.executables.missing, []);
      }
    }
  });
});

test('an upload whose record the disk does not take is refused, and the old one stays and counts', async () => {
  const bench = await open();
  await put(bench);
  bench.store.onChange = () => {
    throw new ProblemError('storage-failed', 'no room.');
  };
  await assert.rejects(put(bench, 'new'), named('storage-failed', /no room/));
  assert.equal(await get(bench), program);
  assert.equal(statSync(place(bench)).size, program.length);
});

test('an upload that comes while damage is acknowledged counts', async () => {
  const bench = await open();
  await put(bench);
  writeFileSync(place(bench), 'damaged');
  await bench.executables.checkAll();
  const keep = bench.store.storeUpload.bind(bench.store);
  let upload: Promise<void> | undefined;
  bench.store.storeUpload = async (stored) => {
    // Of the acknowledgement, which takes its time: meanwhile the file is uploaded again, or waits.
    upload ??= put(bench, 'the new one');
    if (stored.sums.length === 1 && stored.sums[0]?.bytes === 'damaged'.length) await Promise.race([upload, wait(100)]);
    await keep(stored);
  };
  await bench.executables.acknowledgeMissing();
  await upload;
  await bench.executables.checkAll();
  assert.deepEqual([bench.executables.missing, await get(bench)], [[], 'the new one']);
});

test('an upload that takes the place of a damaged file while that is read leaves nothing to report', async () => {
  const bench = await open();
  await put(bench);
  truncateSync(place(bench), 128 << 20); // takes longer to read than another takes to come
  const checking = bench.executables.checkAll();
  await put(bench);
  await checking;
  assert.deepEqual([bench.executables.missing, await get(bench)], [[], program]);
});

test('an upload that takes the place of a file while that is read is not taken for damage', async () => {
  const bench = await open();
  await put(bench, 'first');
  for (let round = 0; round < 60; round++) {
    let isThere = false;
    const upload = put(bench, `round ${round}`).finally(() => (isThere = true));
    while (!isThere) await bench.executables.checkAll();
    await upload;
    assert.deepEqual([bench.executables.missing, bench.reported], [[], []]);
  }
});
