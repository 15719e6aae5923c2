// Rows of the store that were changed by other hands: whoever reads them is told, and gets nothing that is not there.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { sectionOf } from '../../../test/any-parcels.ts';
import { storeAnswer } from '../../../test/archive-answers.ts';
import { sampleSeries } from '../../../test/archive-records.ts';
import { freshDatabase, parcelBytes } from '../../../test/store-database.ts';
import { type StoreParts, storeParts } from '../../../test/store-parts.ts';

const values: Record<string, number | bigint | string> = { b: 1, q: 3, i: 7, l: 2n ** 40n, f: 0.25, d: 0.1, s: 'x' };
const records = sampleSeries.flatMap(({ number, datatype }) =>
  [1, 2, 5].map((second) => {
    const value = values[datatype] as number | bigint | string;
    return { series: number, timeUs: 1_700_000_000_000_000 + 1_000_000 * second, value, quality: 192 };
  }),
);

const damages: [string, string, string][] = [
  ['one record more', 'd', 'n = n + 1'],
  ['one record less', 'd', 'n = n - 1'],
  ['very many records', 'd', 'n = 2000000000'],
  ['no values', 'd', 'i = null, l = null, f = null'],
  ['two arrays of values', 'd', "r = '{1,2,3}'"],
  ['no texts', 's', 's = null'],
  ['texts in the place of numbers', 'i', "i = null, s = '{1,2,3}'"],
  ['a value that is null', 'l', "i = null, l = '{1,null,3}'"],
  ['values in two dimensions', 'i', "i = '{{1,2,3}}'"],
  ['a scale that there is not', 'd', "f = null, i = '{1,2,3}', scale = 99"],
  ['times that go back', 'b', "dt = null, us = '{1700000001000000,1700000009000000,1700000005000000}'"],
  ['an end that is another', 'q', 'dt = null, us = null, step = 7'],
  ['a begin that is another', 'f', "us = '{1700000000000000,1700000002000000,1700000005000000}'"],
  ['no qualities', 'd', 'quality = null, q = null'],
  ['qualities of others', 'd', "quality = null, q = '{192,192}'"],
  ['a summary that is none', 'd', "summary = '\\x05ff'"],
];

describe('a row of the store', { skip: withoutPostgres() }, () => {
  const scope = suiteCleanup();
  let postgres: Postgres;
  let database: string;
  let parts: StoreParts;
  before(async () => {
    postgres = await Postgres.start(scope);
    const address = await freshDatabase(postgres);
    database = new URL(address).pathname.slice(1);
    parts = storeParts(scope, address);
  });

  for (const [at, [what, datatype, change]] of damages.entries()) {
    test(`with ${what} is told, not read; others are`, async () => {
      const site = `site_${at}`;
      const { store, source } = parts;
      const { epoch } = await store.claim(site);
      const parcel = { site, epoch, seq: 1, series: sampleSeries, sections: [sectionOf(100, records)] };
      await store.send(site, epoch, 1, parcelBytes(parcel));
      await parts.seal(site, 1);
      const { name } = sampleSeries.find((each) => each.datatype === datatype) as { name: string };
      const changed = `select id from telltale.series where site = '${site}' and name = '${name}'`;
      await postgres.query(`update telltale.chunk set ${change} where series = (${changed})`, { database });
      const request = {
        kind: 'measurements',
        known: [],
        sinceUs: 0,
        untilUs: 2 ** 53 - 1,
        form: 'json',
        site,
      } as const;
      const asking = what.includes('summary') ? { ...request, maxPoints: 1000 } : request;
      await assert.rejects(storeAnswer(source, { ...asking, names: [name] }), {
        problem: 'storage-failed',
        message: /^Records of .* are damaged in the store: /,
      });
      const others = sampleSeries.map((each) => each.name).filter((each) => each !== name);
      const read = JSON.parse(String(await storeAnswer(source, { ...request, names: others })));
      for (const other of others) assert.equal(read[other].length, 3);
    });
  }

  test('with more than it can have of anything ends what is read, and nothing else', async () => {
    const parcel = parcelBytes({ site: 'broken', epoch: 1, seq: 1, series: sampleSeries });
    await parts.store.claim('broken');
    await parts.store.send('broken', 1, 1, parcel);
    await postgres.query("update telltale.parcel set bytes = 'nothing' where site = 'broken'", { database });
    const request = {
      kind: 'measurements',
      names: ['point_i'],
      known: [],
      sinceUs: 0,
      untilUs: 9,
      form: 'json',
    } as const;
    await assert.rejects(storeAnswer(parts.source, { ...request, site: 'broken' }), {
      problem: 'storage-failed',
      message: /^Parcel 1 of epoch 1 of broken in the store: not a parcel/,
    });
  });
});
