import assert from 'node:assert/strict';
import type { StatsFs } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import { checkDisk } from './disk-check.ts';

const GiB = 2 ** 30;

/** A disk of 100 GiB in blocks of 4 KiB; ext4 where nothing is said. */
const diskOf = ({ free = 50 * GiB, type = 0xef53, files = 1_000_000, ffree = 900_000 } = {}) => ({
  statfs: async () =>
    ({
      type,
      bsize: 4096,
      blocks: (100 * GiB) / 4096,
      bfree: free / 4096,
      bavail: free / 4096,
      files,
      ffree,
    }) as StatsFs,
});

test('the real disk is told of, also where the folder is not there yet', async (t) => {
  const bench = doctorBench(t);
  for (const folder of [bench.folder, join(bench.folder, 'not/yet')]) {
    const [text = ''] = await found(checkDisk, { ...bench, folder });
    assert.doesNotMatch(text, /does not tell/);
  }
});

test('a disk without room or files is wrong, one with little room is looked at', async (t) => {
  const texts = async (disk: Parameters<typeof diskOf>[0], settings: string[] = []) =>
    (await found(checkDisk, doctorBench(t, { machine: diskOf(disk), settings }))).join('\n');
  assert.equal(await texts({}), 'ok: 50 GiB of 100 GiB are free.');
  assert.match(await texts({ free: 200 * 2 ** 20 }), /^wrong: 200 MiB of 100 GiB are free/);
  assert.match(await texts({ free: 4 * GiB }), /^note: 4096 MiB of 100 GiB are free/);
  assert.match(await texts({ ffree: 12 }), /^wrong: The disk of FOLDER has room for only 12 more files/);
  assert.match(await texts({ files: 0, ffree: 0 }), /^ok: /); // btrfs has no such limit
  assert.match(
    await texts({}, ['--archive-max-size=200G']),
    /^note: --archive-max-size allows 200 GiB, and the disk has 100 GiB/,
  );
});

test('a network file system is wrong, one that is gone after a restart is looked at', async (t) => {
  const text = async (type: number) => (await found(checkDisk, doctorBench(t, { machine: diskOf({ type }) }))).join();
  assert.match(await text(0x6969), /^wrong: .* network file system \(NFS\)/);
  assert.match(await text(0xff534d42 | 0), /^wrong: .*CIFS/); // as a signed number of 32 bits
  assert.match(await text(0x01021994), /^note: .*tmpfs/);
  assert.match(await text(0x794c7630), /^note: .*container/);
});

test('a disk that does not answer is looked at', async (t) => {
  const refuse = async () => Promise.reject(Object.assign(new Error('stale'), { code: 'ESTALE' }));
  assert.match(
    (await found(checkDisk, doctorBench(t, { machine: { statfs: refuse } }))).join(),
    /^note: .*does not tell/,
  );
});
