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

const all = { kind: 'measurements', known: [], sinceUs: 0, untilUs: 2 ** 53 - 1, form: 'json' } as const;

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
      const request = { ...all, site };
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

  test('that is a parcel, and cannot be read, is left out and told, once; the rest of all sites is read', async () => {
    const sections = [sectionOf(100, records)];
    for (const site of ['broken', 'sound']) {
      await parts.store.claim(site);
      await parts.store.send(site, 1, 1, parcelBytes({ site, epoch: 1, seq: 1, series: sampleSeries }));
      await parts.store.send(site, 1, 2, parcelBytes({ site, epoch: 1, seq: 2, sections }, sampleSeries));
    }
    const change = "update telltale.parcel set bytes = 'nothing' where site = 'broken' and seq = 1";
    await postgres.query(change, { database });
    for (let again = 0; again < 2; again++) {
      const names = ['broken/point_i', 'sound/point_i'];
      const read = JSON.parse(String(await storeAnswer(parts.source, { ...all, names, site: undefined })));
      for (const name of names) assert.equal(read[name].length, 3, name);
    }
    assert.deepEqual(parts.damaged, ['broken 1-1: not a parcel: it has 7 bytes']);
  });

  test('of which there is more than fits into memory refuses what asks for all of that, and nothing else', async () => {
    const site = 'crowded';
    const many = Array.from({ length: 100 }, (_, at) => ({
      ...(records[0] as (typeof records)[0]),
      timeUs: 1000 + at,
    }));
    await parts.store.claim(site);
    const sections = [sectionOf(100, many)];
    await parts.store.send(site, 1, 1, parcelBytes({ site, epoch: 1, seq: 1, series: sampleSeries, sections }));
    const names = [sampleSeries.find(({ number }) => number === many[0]?.series)?.name ?? ''];
    assert.equal(
      JSON.parse(String(await storeAnswer(parts.small, { ...all, names, site, untilUs: 1050 })))[names[0] ?? ''].length,
      50,
    );
    await assert.rejects(storeAnswer(parts.small, { ...all, names, site }), {
      problem: 'overloaded',
      message: /not sealed there yet: ask for fewer names or a shorter time/,
    });
    assert.equal(
      JSON.parse(String(await storeAnswer(parts.source, { ...all, names, site })))[names[0] ?? ''].length,
      100,
    );
  });
});
