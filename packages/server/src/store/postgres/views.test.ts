// What SQL sees of a store: records as they were, by name and time without looking at everything.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import { Postgres } from '../../../../../test/engines/postgres.ts';
import { postgresVersions, withoutPostgres } from '../../../../../test/engines/postgres-programs.ts';
import { sealedSite } from '../../../test/sealed-site.ts';
import { type SentRecord, sentKeys } from '../../../test/sent-site.ts';
import { packAlarm } from '../../archive/alarm-text.ts';
import type { Connection } from './connection.ts';

const beginUs = 1_760_000_400_000_000;
const good = 0xc0;

function record(kind: string, name: string, second: number, value: SentRecord['value'], quality = good): SentRecord {
  const key = sentKeys.findIndex((each) => each.kind === kind && each.name === name);
  return { key, timeUs: beginUs + 1_000_000 * second, value, quality };
}

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly Plans?: readonly Plan[];
}

/** Of chunks and hours: which partitions are looked at, and how. */
async function scansOf(client: Connection, sql: string): Promise<string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (format json) ${sql}`);
  const scans: string[] = [];
  const walk = (plan: Plan) => {
    const { 'Relation Name': name = '', 'Node Type': node, Plans = [] } = plan;
    if (/^(chunk|hour)/.test(name)) scans.push(`${node.replace('Bitmap Heap', 'Index')} of ${name}`);
    Plans.forEach(walk);
  };
  walk(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan);
  return scans.sort();
}

for (const version of postgresVersions) {
  describe(`SQL in PostgreSQL ${version}`, { skip: withoutPostgres(version) }, () => {
    const scope = suiteCleanup();
    let postgres: Postgres;
    before(async () => {
      postgres = await Postgres.start(scope, { version });
    });

    test('sees the records of a name with site, time, value and quality, bit by bit', async (t) => {
      const { client, seal, store } = await sealedSite(t, postgres);
      await store.nameSite('here', 'north');
      const farUs = 4_500_000_000_000_001;
      await seal([
        record('measurements', 'level', 0, 0.1),
        record('measurements', 'level', 1, -0, 0x40),
        record('measurements', 'level', 2, Number.NaN, 0x18),
        { ...record('measurements', 'level', 3, 1e300, 0x4d8), timeUs: farUs },
        record('measurements', 'flow', 0, Math.fround(0.1)),
        record('measurements', 'count', 0, 2n ** 60n + 1n),
        record('measurements', "it's", 0, 'Pumpe läuft'),
        record('commands', 'level', 0, 1, 0),
      ]);
      const { rows } = await client.query(
        `select site, kind, name, ("time" at time zone 'UTC')::text as time, value::text, text, quality, simulated, quality_code as code, whole::text, datatype
          from telltale.records order by kind, name, records.time`,
      );
      const line = (...cells: unknown[]) => cells.join(' | ');
      assert.deepEqual(
        rows.map(({ site, kind, name, time, value, text, quality, simulated, code, whole, datatype }) =>
          line(site, kind, name, time, value ?? text, quality, simulated, code, whole, datatype),
        ),
        [
          line('north', 'commands', 'level', '2025-10-09 09:00:00', '1', null, false, null, null, 'b'),
          line(
            'north',
            'measurements',
            'count',
            '2025-10-09 09:00:00',
            '1.152921504606847e+18',
            'good',
            false,
            192,
            '1152921504606846977',
            'l',
          ),
          line(
            'north',
            'measurements',
            'flow',
            '2025-10-09 09:00:00',
            '0.10000000149011612',
            'good',
            false,
            192,
            null,
            'f',
          ),
          line('north', 'measurements', "it's", '2025-10-09 09:00:00', 'Pumpe läuft', 'good', false, 192, null, 's'),
          line('north', 'measurements', 'level', '2025-10-09 09:00:00', '0.1', 'good', false, 192, null, 'd'),
          line('north', 'measurements', 'level', '2025-10-09 09:00:01', '-0', 'uncertain', false, 64, null, 'd'),
          line('north', 'measurements', 'level', '2025-10-09 09:00:02', 'NaN', 'bad', false, 24, null, 'd'),
          line('north', 'measurements', 'level', '2112-08-07 08:00:00.000001', '1e+300', 'good', true, 216, null, 'd'),
        ],
      );
    });

    test('sees transitions of alarms, whoever made them', async (t) => {
      const { client, seal } = await sealedSite(t, postgres);
      const authorities = ['', 'ann', 'a b', '🙂🙂 smith'];
      const descriptions = ['', 'too high', '3 times', '🙂'];
      const states = ['ACT_UNACK', 'ACT_ACK', 'INACT_UNACK', 'INACT_ACK'] as const;
      const transitions = authorities.map((authority, at) => {
        return { state: states[at] as 'ACT_ACK', authority, description: descriptions[at] as string };
      });
      await seal(transitions.map((transition, at) => record('alarms', 'level', at, packAlarm(transition), 0)));
      const all = await client.query('select state, by as authority, description from telltale.alarms order by time');
      assert.deepEqual(all.rows, transitions);
      const some = await client.query(
        `select state from telltale.alarms('2025-10-09 09:00:01Z', '2025-10-09 09:00:03Z') order by time`,
      );
      assert.deepEqual(some.rows, [{ state: 'ACT_ACK' }, { state: 'INACT_UNACK' }]);
    });

    test('sees hours with what is not bad in them', async (t) => {
      const { client, seal } = await sealedSite(t, postgres);
      await seal([
        record('measurements', 'level', 0, 1),
        record('measurements', 'level', 1, 3, 0x40),
        record('measurements', 'level', 2, 100, 0x18),
        record('measurements', 'level', 3600, 7, 0),
        record('commands', 'level', 0, 1, 0),
      ]);
      const { rows } = await client.query(
        `select kind, (time at time zone 'UTC')::text as time, min, max, avg, sum, count, bad, uncertain from telltale.hourly order by kind, hourly.time`,
      );
      assert.deepEqual(
        rows.map((row) => Object.values(row).join(' ')),
        [
          'commands 2025-10-09 09:00:00 1 1 1 1 1 0 0',
          'measurements 2025-10-09 09:00:00 1 3 2 4 3 1 1',
          'measurements 2025-10-09 10:00:00     1 1 0',
        ],
      );
    });

    test('reads the chunks of a name alone, and of a span the weeks of it alone', async (t) => {
      const { client, seal } = await sealedSite(t, postgres);
      await seal([record('measurements', 'level', 0, 1)]);
      const week = 2909;
      for (const more of [0, 1, 2, 3]) await client.query('select telltale.add_week($1)', [week + more]);
      await client.query(
        `insert into telltale.series (site, kind, name, datatype) select 'here', 'measurements', 'p' || n, 'd' from generate_series(1, 500) n;
        insert into telltale.chunk (series, first_us, epoch, place, part, last_us, n, bad, not_good, step, unit, scale, quality, flags, i)
          select id, us, 1, 1, 0, us + 3599000000, 3600, 0, 0, 1000000, 1, 0, 192, 0, array[1]
          from telltale.series, generate_series(${week}::bigint * 604800000000, ${week + 4}::bigint * 604800000000 - 1, 21600000000) us;
        insert into telltale.hour (series, hour, n, bad, not_good) select series, to_timestamp(first_us / 1000000), 3600, 0, 0 from telltale.chunk
          where part = 0 and step = 1000000;
        analyze telltale.series; analyze telltale.chunk; analyze telltale.hour`,
      );
      const name = "name = 'p7'";
      const chunks = await scansOf(client, `select value from telltale.records where ${name}`);
      assert.ok(chunks.length >= 4);
      for (const scan of chunks) assert.match(scan, /^Index|^Seq Scan of chunk_(before|after)$/);
      const span = "'2025-10-09 09:00Z', '2025-10-09 12:00Z'";
      assert.deepEqual(await scansOf(client, `select value from telltale.records('p7', ${span})`), [
        'Index Scan of chunk_w2910',
      ]);
      const twoWeeks = "'2025-10-15Z', '2025-10-17Z'";
      assert.deepEqual(await scansOf(client, `select avg(value) from telltale.records('p7', ${twoWeeks})`), [
        'Index Scan of chunk_w2910',
        'Index Scan of chunk_w2911',
      ]);
      const hours = "time >= '2025-10-09 09:00Z' and time < '2025-10-09 12:00Z'";
      assert.deepEqual(await scansOf(client, `select avg from telltale.hourly where ${name} and ${hours}`), [
        'Index Scan of hour_w2910',
      ]);
    });
  });
}
