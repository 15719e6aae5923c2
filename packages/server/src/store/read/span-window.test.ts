// Records that are changed in the store while they are read.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { sectionOf } from '../../../test/any-parcels.ts';
import { storeAnswer } from '../../../test/archive-answers.ts';
import type { SampleRecord } from '../../../test/archive-records.ts';
import { freshDatabase, parcelBytes } from '../../../test/store-database.ts';
import { type StoreParts, storeParts } from '../../../test/store-parts.ts';
import { replaces, type Series } from '../../archive/index.ts';
import type { Parcel } from '../../archive/parcel/index.ts';

const level: Series = { number: 0, kind: 'measurements', name: 'level', datatype: 'd' };
const beginUs = 1_700_000_000_000_000;
const usOf = (second: number) => beginUs + 1_000_000 * second;
/** Three full chunks of one week. */
const chunkRecords = 1024;
const all = Array.from({ length: 3 * chunkRecords }, (_, at) => recordOf(at, at));

function recordOf(second: number, value: number, quality = 0xc0): SampleRecord {
  return { series: 0, timeUs: usOf(second), value, quality };
}

function erased(since: number, until: number): Partial<Parcel> {
  return { erasures: [{ series: 0, sinceUs: usOf(since), untilUs: usOf(until), place: 3072 }] };
}

function recorded(...records: SampleRecord[]): Partial<Parcel> {
  return { sections: [{ ...sectionOf(3072 + records.length, records), from: 3072 }] };
}

const last = 3 * chunkRecords - 1;
const changes: [string, Partial<Parcel>][] = [
  ['some are erased', erased(1500, 2600)],
  ['all are erased', erased(0, 4000)],
  ['one is replaced', recorded(recordOf(1700, -1, 0xc0 | replaces))],
  ['others are recorded between them', recorded(...[1100, 1500.5, 2900.5].map((second) => recordOf(second, -2)))],
  ['more come behind them', recorded(recordOf(last + 1, -3), recordOf(last + 2, -4))],
];

for (const version of postgresVersions) {
  describe(`records that are read from PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let parts: StoreParts;
    before(async () => {
      const postgres = await Postgres.start(scope, { version, settings: { fsync: 'off' } });
      parts = storeParts(scope, await freshDatabase(postgres));
    });

    for (const [at, [what, change]] of changes.entries()) {
      for (const isSealed of [true, false]) {
        const title = `come as they are when it is their turn, where ${what} meanwhile${isSealed ? '' : ' and not sealed'}`;
        test(title, async () => {
          const site = `site_${at}_${isSealed}`;
          const { store, slow, source } = parts;
          const { epoch } = await store.claim(site);
          const send = (seq: number, parcel: Partial<Parcel>) =>
            store.send(site, epoch, seq, parcelBytes({ site, epoch, seq, ...parcel }, [level]));
          await send(1, { series: [level], sections: [sectionOf(3072, all)] });
          await parts.seal(site, 1);
          const untilUs = usOf(all.length);
          const request = {
            kind: 'measurements',
            names: ['level'],
            known: [],
            sinceUs: 0,
            untilUs,
            form: 'json',
            site,
          } as const;
          const read = (answer: Buffer) => JSON.parse(String(answer)).level as [string, [number, number]][];
          const original = read(await storeAnswer(source, request));
          assert.equal(original.length, all.length);
          let waits = 0;
          const given = read(
            await storeAnswer(slow, request, async () => {
              // The first chunk is here, the others are known alone.
              if (++waits !== 1) return;
              await send(2, change);
              if (isSealed) await parts.seal(site, 1);
            }),
          );
          const present = read(await storeAnswer(source, request));
          const isOfFirst = ([, [seconds]]: [string, [number, number]]) => seconds < beginUs / 1e6 + chunkRecords;
          const changed = [...original.filter(isOfFirst), ...present.filter((record) => !isOfFirst(record))];
          assert.ok(waits > 1);
          // What is not sealed hides nothing of what was known before.
          assert.deepEqual(given, isSealed ? changed : original);
        });
      }
    }
  });
}
