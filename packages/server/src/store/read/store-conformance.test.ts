// What is read from the store is what is read from the archive that was sent to it, bit for bit, whatever happened on the way.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { archiveAnswer, storeAnswer } from '../../../test/archive-answers.ts';
import { changes, ordinary, SentWorld, times } from '../../../test/sent-world.ts';
import { freshDatabase } from '../../../test/store-database.ts';
import { type StoreParts, storeParts } from '../../../test/store-parts.ts';
import { troubled } from '../../../test/troubled-store.ts';
import type { ReadRequest } from '../../archive/index.ts';

const numRuns = Number(process.env.MODEL_RUNS ?? 25);

const aTime = fc.constantFrom(0, ...times, ...times.map((timeUs) => timeUs + 1), 2 ** 53 - 1);
const optional = <T>(...values: T[]) => fc.constantFrom(undefined, ...values);
const aRequest = fc
  .record({
    kind: fc.constantFrom('measurements' as const, 'commands' as const),
    form: fc.constantFrom('json' as const, 'csv' as const, 'binary' as const),
    interval: fc.tuple(aTime, aTime),
    way: fc.constantFrom({}, {}, { newestFirst: true }, { warpHead: true }, { resampleUs: 700_000 }),
    limit: optional(0, 1, 3),
    simulated: optional('exclude' as const, 'only' as const),
    flags: fc.boolean(),
  })
  .map(({ interval: [one, other], way, ...rest }): ReadRequest => {
    const [sinceUs, untilUs] = [Math.min(one, other), Math.max(one, other)];
    const names = ['level', 'height', '__proto__', 'nothing'];
    const request = { ...rest, ...way, names, known: ['height'], sinceUs, untilUs };
    return 'resampleUs' in way ? { ...request, untilUs: Math.min(untilUs, sinceUs + 100 * way.resampleUs) } : request;
  });
const someSteps = fc.array(fc.oneof(...ordinary, ...changes), { maxLength: 30, size: 'max' });
/** After how many steps, and how many parcels of those that are there. */
const someSealing = fc.array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 9 })), { maxLength: 6, size: 'max' });
const someRequests = fc.array(aRequest, { minLength: 8, maxLength: 8 });

for (const version of postgresVersions) {
  describe(`reading a store on PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let parts: StoreParts;
    let sites = 0;
    before(async () => {
      const postgres = await Postgres.start(scope, { version, settings: { fsync: 'off' } });
      parts = storeParts(scope, await freshDatabase(postgres));
    });

    test('gives what the archive of the site gives, whatever is lost on the way, and wherever the site ends', async () => {
      const property = fc.asyncProperty(someSteps, someSealing, someRequests, async (steps, sealing, requests) => {
        const site = `site_${++sites}`;
        const world = new SentWorld(troubled(parts.store), { site });
        try {
          for (const [at, step] of steps.entries()) {
            await step(world);
            for (const [after, count] of sealing) if (after === at) await parts.seal(site, count);
          }
          await world.sendAll();
          for (const request of requests) {
            const wanted = archiveAnswer(world.archive, request).toString('latin1');
            for (const source of [parts.source, parts.slow]) {
              const read = await storeAnswer(source, { ...request, site }, () => parts.seal(site, 1));
              assert.equal(read.toString('latin1'), wanted, JSON.stringify(request));
            }
          }
        } finally {
          world.archive.close();
        }
      });
      await fc.assert(property, { numRuns });
    });
  });
}
