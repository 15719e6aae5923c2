// The client of the archive, against its HTTP interface over an archive in memory.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { TelltaleClient, TelltaleProblem, Unreachable } from '@telltale/client';
import type { MeasurementRecord } from '@telltale/schema';
import { ArchiveBench } from '../packages/server/test/archive-bench.ts';

const bench = new ArchiveBench();
const { archive: stored } = bench;
let archive: TelltaleClient['archive'];

const refusedBy = (problem: string) => (error: unknown) =>
  error instanceof TelltaleProblem && error.problem === problem;

before(async () => {
  await bench.open();
  archive = new TelltaleClient({ url: bench.url }).archive;
});
after(() => bench.close());
beforeEach(async () => {
  stored.script = undefined;
  stored.cancelled = 0;
  stored.requests.length = 0;
  for (const name of ['level', 'of_l', 'of_s']) await stored.erase('measurements', name, 0, Number.MAX_SAFE_INTEGER);
});

describe('the archive of the client', () => {
  test('gives back what was added, in time order, exact to the microsecond', async () => {
    const records: MeasurementRecord[] = [
      ['d22', [1_600_000_000, 999_999], 24],
      ['d21.5', [1_600_000_000, 1], 192],
    ];
    await archive.backfill('measurements', 'level', records);
    assert.deepEqual(await archive.read('measurements', 'level', { since: 1 }), records.toReversed());
    assert.deepEqual(
      await archive.read('measurements', 'level', { since: [1_600_000_000, 2], until: [1_600_000_000, 999_999] }),
      [],
    );
    const many = await archive.readMany('measurements', { names: ['level', 'other'], since: [1_600_000_000, 2] });
    assert.deepEqual({ ...many }, { level: [records[0]] });
    assert.deepEqual(await archive.names('measurements'), ['level']);
    await archive.erase('measurements', 'level', { since: [1_600_000_000, 1], until: [1_600_000_000, 2] });
    assert.deepEqual(await archive.read('measurements', 'level', { since: new Date(0) }), [records[0]]);
  });

  test('takes more records than go into one request', async () => {
    const records = function* (): Generator<MeasurementRecord> {
      for (let at = 0; at < 25_000; at++) yield [`l${2n ** 60n + BigInt(at)}`, [at, 0], 192];
    };
    await archive.backfill('measurements', 'of_l', records());
    const seen: bigint[] = [];
    for await (const { name, times, values, qualities } of archive.columns('measurements', {
      names: ['of_l'],
      since: 1,
    })) {
      assert.deepEqual([name, times.length, qualities.length], ['of_l', values.length, values.length]);
      assert.ok(values instanceof BigInt64Array);
      for (const value of values) seen.push(value);
    }
    assert.deepEqual([seen.length, seen.at(-1)], [24_999, 2n ** 60n + 24_999n]);
  });

  test('takes CSV, and gives it', async () => {
    await archive.backfillCsv('measurements', 'of_s', new TextEncoder().encode('time,value\n1,"a,b"\n'));
    const { stream } = await archive.download('measurements', { names: ['level'], since: 1, form: 'csv' });
    let text = '';
    for await (const chunk of stream) text += Buffer.from(chunk).toString();
    assert.equal(text, 'name,time,value,quality\r\n');
    assert.deepEqual(await archive.read('measurements', 'of_s', { since: 1 }), [['sa,b', [1, 0], 192]]);
  });

  describe('asked for more names than go into one request', () => {
    const others = (count: number) => Array.from({ length: count }, (_, at) => `${'x'.repeat(50)}_${at}`);
    const names = ['level', ...others(700), 'of_l', ...others(1400), 'of_s'];
    beforeEach(async () => {
      await archive.backfill('measurements', 'level', [['d1', [1_600_000_000, 0], 192]]);
      await archive.backfill('measurements', 'of_l', [['l2', [1_600_000_000, 0], 192]]);
      await archive.backfill('measurements', 'of_s', [['s"3\n', [1_600_000_000, 0], 192]]);
    });

    test('gives their columns', async () => {
      const seen: unknown[] = [];
      for await (const { name, values } of archive.columns('measurements', { names, since: 1 })) {
        seen.push([name, values[0]]);
      }
      assert.deepEqual(seen, [
        ['level', 1],
        ['of_l', 2n],
        ['of_s', '"3\n'],
      ]);
    });

    test('downloads one document, in either form, the same as of few names', async () => {
      for (const form of ['csv', 'columns'] as const) {
        const bytesOf = async (asked: readonly string[]) => {
          const { stream } = await archive.download('measurements', { names: asked, since: 1, form });
          return Buffer.concat(await Array.fromAsync(stream)).toString('latin1');
        };
        assert.equal(await bytesOf(names), await bytesOf(['level', 'of_l', 'of_s']), form);
      }
    });

    test('ends the download when its reader leaves', async () => {
      const { stream } = await archive.download('measurements', { names, since: 1, form: 'csv' });
      const before = stored.requests.length;
      await stream.cancel();
      assert.equal(stored.requests.length, before);
    });
  });

  test('sends the options of a read', async () => {
    const options = { since: -3600.5, resampleS: 60, aggregate: 'avg', warpHead: true, limit: 7 } as const;
    await archive.read('measurements', 'level', options);
    await archive.read('alarms', 'high', { since: -1, maxPoints: 100, activeOnly: true });
    const [first, second] = stored.requests;
    assert.deepEqual(
      [first?.sinceUs, first?.resampleUs, first?.aggregates, first?.warpHead, first?.limit],
      [bench.clock.now() - 3_600_500_000, 60_000_000, ['avg'], true, 7],
    );
    assert.deepEqual([second?.activeOnly, second?.maxPoints], [true, 100]);
  });

  test('is refused as every other request is', async () => {
    await assert.rejects(archive.read('measurements', 'other', { since: -1 }), refusedBy('unknown-object'));
    await assert.rejects(archive.read('measurements', '../x', { since: -1 }), refusedBy('unknown-object'));
    await assert.rejects(archive.read('measurements', 'level', { since: 2, until: 1 }), refusedBy('invalid-interval'));
    await assert.rejects(archive.read('measurements', 'level', { since: Number.NaN }), refusedBy('invalid-interval'));
    await assert.rejects(
      archive.read('measurements', 'level', { since: new Date(Number.NaN) }),
      refusedBy('invalid-interval'),
    );
    const bad: MeasurementRecord[] = [['i1', [1, 0], 192]];
    await assert.rejects(archive.backfill('measurements', 'level', bad), refusedBy('invalid-record'));
  });

  test('never takes a part of an answer for the whole', async () => {
    stored.script = async function* () {
      yield Buffer.from('{"level":[["d1",[1,0],192],');
    };
    await assert.rejects(archive.read('measurements', 'level', { since: 1 }), Unreachable);
    await assert.rejects(Array.fromAsync(archive.columns('measurements', { since: 1 })), Unreachable);
  });

  test('ends a reading when its reader leaves the loop', async () => {
    stored.script = async function* () {
      yield Buffer.from('{"level":[["d0",[0,0],192]');
      for (;;) yield Buffer.from(',["d1",[1,0],192]'.repeat(1000));
    };
    for await (const page of archive.pages('measurements', 'level', { since: 1 })) {
      assert.ok(page.length > 0);
      break;
    }
    while (stored.cancelled === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('reports its figures and how its care goes on', async () => {
    assert.equal((await archive.stats()).bytes, 4096);
    const steps = await Array.fromAsync(archive.check());
    assert.deepEqual(steps.at(-1), { 'done-bytes': 4096, 'total-bytes': 4096, done: true, damages: [] });
    assert.equal((await Array.fromAsync(archive.compact())).at(-1)?.done, true);
  });
});
