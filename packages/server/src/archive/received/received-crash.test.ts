// Ends a node, as far as its files can see, before each call that changes a file, and in the middle of each write, while it takes what another
// one sends.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { siteAnswer } from '../../../test/archive-answers.ts';
import { observed } from '../../../test/observed-files.ts';
import { PairNode } from '../../../test/pair-world.ts';
import { PlainStore } from '../../../test/plain-store.ts';
import { append, keys, type ModelRecord } from '../../../test/store-model.ts';
import { startUs } from '../../../test/temporary-archives.ts';
import type { ReadRequest } from '../archive-access.ts';
import { systemDisk } from '../files/disk.ts';
import type { SeriesKey } from '../records.ts';
import * as receiving from './receiving.ts';
import { SiteArchive } from './site-archive.ts';

const root = temporaryFolder(suiteCleanup());
/** A crash of the process loses nothing that was written. */
const disk = { ...systemDisk, sync() {}, syncData() {} };
const epoch = 17;

function open(folder: string): SiteArchive {
  return new SiteArchive(join(folder, 'own'), {
    received: join(folder, 'received'),
    receiving,
    clock: new ManualClock(startUs),
    disk,
    limits: { records: 12, textUnits: 1000 },
    onDamage: ({ file, reason }) => assert.fail(`${file}: ${reason}`),
  });
}

function contentOf(archive: SiteArchive): string[] {
  return [keys[0], keys[2], keys[3]].map((key) => {
    const { kind, name } = key as SeriesKey;
    const request: ReadRequest = { kind, names: [name], known: [name], sinceUs: 0, untilUs: 2 ** 53 - 1, form: 'json' };
    return siteAnswer(archive, request).toString();
  });
}

/** What a node sends that records, erases and renames; some records take the place of those before. */
async function someParcels(): Promise<Uint8Array[]> {
  const node = new PairNode('a', 'b');
  const store = new PlainStore();
  const { own } = node.archive;
  own.lead(epoch);
  for (let round = 0; round < 6; round++) {
    const records = [0, 1, 2, 3].flatMap((key) =>
      [7, startUs - 1_000_000 * (round % 3), startUs - round].map((time, at): ModelRecord => {
        const value = key === 1 ? BigInt(round) : key === 2 ? `text ${round} ${at}` : key === 3 ? at > 1 : round / 4;
        return { key, time, value, quality: 0xc0, isReplacing: at === 1 && round % 2 === 1 };
      }),
    );
    append(own, records);
    own.commit();
    if (round === 2) own.erase('measurements', 'level', startUs - 3_000_000, startUs - 500_000);
    if (round === 3) own.rename([{ kind: 'commands', from: 'level', to: 'valve' }]);
    await node.send('b', store);
    if (round === 4) node.flush();
  }
  node.archive.close();
  return store.all().map(({ bytes }) => bytes);
}

test('whatever moment a node ends at, what another one has sent is there once, and what was acknowledged needs no sending again', async () => {
  const parcels = await someParcels();
  const folder = mkdtempSync(join(root, 'whole-'));
  const archive = open(folder);
  archive.of('a').claim(epoch);
  const moments: { readonly folder: string; readonly call: string; readonly acknowledged: number }[] = [];
  for (const [acknowledged, parcel] of parcels.entries()) {
    observed(
      () => {
        archive.of('a').take(parcel);
        archive.maintain(0);
      },
      (call) => {
        const copy = mkdtempSync(join(root, 'moment-'));
        cpSync(folder, copy, { recursive: true });
        moments.push({ folder: copy, call, acknowledged });
      },
    );
  }
  const expected = contentOf(archive);
  archive.close();
  assert.ok(parcels.length > 10 && moments.length > 100, `${parcels.length} parcels, ${moments.length} moments`);
  for (const { folder: copy, call, acknowledged } of moments) {
    const again = open(copy);
    const { seq = -1 } = again.of('a').newest(epoch) ?? {};
    assert.ok(
      seq === acknowledged || seq === acknowledged + 1,
      `at ${call}: ${seq}, where ${acknowledged} were acknowledged`,
    );
    for (const parcel of parcels.slice(seq)) again.of('a').take(parcel);
    assert.deepEqual(contentOf(again), expected, `at ${call} of parcel ${acknowledged + 1}`);
    again.close();
  }
});
