import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Datatype, formatPrefixed, formatText, formatTimestamp, toTimestamp, type Value } from '@telltale/schema';
import fc from 'fast-check';
import { type PlainSeries, parseBinary, parseCsv } from '../../../test/parse-answers.ts';
import { packAlarm } from '../alarm-text.ts';
import type { ReadRequest } from '../archive-access.ts';
import { type Kind, kinds, simulated } from '../records.ts';
import type { SeriesSnapshot } from '../store/snapshot.ts';
import { ArchiveQuery } from './archive-query.ts';
import { pageBytes } from './page.ts';

function snapshotOf(kind: Kind, { name, datatype, records }: PlainSeries, number = 1): SeriesSnapshot {
  const numbers = new Float64Array(records.length);
  const longs = new BigInt64Array(numbers.buffer);
  records.forEach(({ value }, at) => {
    if (typeof value === 'bigint') longs[at] = value;
    else if (typeof value !== 'string') numbers[at] = Number(value);
  });
  const tail = {
    times: Float64Array.from(records, ({ time }) => time),
    numbers: numbers.buffer,
    qualities: Uint16Array.from(records, ({ quality }) => quality),
    texts: datatype === 's' ? records.map(({ value }) => value as string) : [],
  };
  return { series: { kind, name, datatype, number }, tail, blocks: [], tombstones: [], cutOffUs: 0 };
}

function pagesOf(all: readonly PlainSeries[], request: Partial<ReadRequest>): Uint8Array[] {
  const { kind = 'measurements' } = request;
  const names = request.names ?? [...new Set(all.map(({ name }) => name))];
  const defaults = { kind, names, known: [], sinceUs: 0, untilUs: 2 ** 53 - 1, form: 'json' } as const;
  const query = new ArchiveQuery(
    { ...defaults, ...request },
    { blockOf: assert.fail, onDamage: ({ reason }) => assert.fail(reason) },
  );
  const pages: Uint8Array[] = [];
  for (;;) {
    const { wanted } = query;
    const parts = all.flatMap((series, number) => (series.name === wanted ? [snapshotOf(kind, series, number)] : []));
    if (wanted !== undefined) query.give(parts.length > 0 ? { series: parts } : undefined);
    const page = query.next();
    if (page === undefined) return pages;
    pages.push(page);
  }
}

function read(all: readonly PlainSeries[], request: Partial<ReadRequest>): Buffer {
  return Buffer.concat(pagesOf(all, request));
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '"', 'a,b', 'line\r\nline', '__proto__'),
);
const values: Readonly<Record<Datatype, fc.Arbitrary<Value>>> = {
  b: fc.boolean(),
  q: fc.integer({ min: 0, max: 3 }),
  i: fc.integer(),
  l: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  f: fc.float({ noNaN: true, noDefaultInfinity: true }),
  d: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 100),
  ),
  s: text,
};

const time = fc.oneof(fc.nat({ max: 2 ** 53 - 2 }), fc.constantFrom(0, 999_999, 1_000_000, 2 ** 53 - 2));

function seriesOf(name: string, quality: fc.Arbitrary<number>): fc.Arbitrary<PlainSeries> {
  return fc
    .constantFrom<Datatype>('b', 'q', 'i', 'l', 'f', 'd', 's')
    .chain((datatype) =>
      fc
        .array(fc.record({ time, value: values[datatype], quality }), { maxLength: 30 })
        .map((records) => ({ name, datatype, records: records.sort((a, b) => a.time - b.time) })),
    );
}

const measurements = fc.tuple(...['level', '__proto__', 'flow'].map((name) => seriesOf(name, fc.nat({ max: 0x5ff }))));
const commands = fc.tuple(...['start', 'constructor'].map((name) => seriesOf(name, fc.constantFrom(0, 0x100))));

const flagOf = (quality: number) => ((quality & simulated) === 0 ? 0 : 1);

test('JSON is what JSON.stringify makes of the records, of measurements and commands alike', () => {
  fc.assert(
    fc.property(measurements, commands, fc.boolean(), (measured, commanded, flags) => {
      for (const [kind, all] of Object.entries({ measurements: measured, commands: commanded })) {
        const lists = all.map(({ name, datatype, records }) => {
          const list = records.map(({ time: us, value, quality }) => {
            const record: unknown[] = [formatPrefixed(datatype, value), toTimestamp(us)];
            if (kind === 'measurements') record.push(quality & 0xff);
            return flags ? [...record, flagOf(quality)] : record;
          });
          return `${JSON.stringify(name)}:${JSON.stringify(list)}`;
        });
        assert.equal(read(all, { kind: kind as Kind, flags }).toString(), `{${lists.join(',')}}`);
      }
    }),
  );
});

test('CSV reads back as the records, with times to the microsecond', () => {
  fc.assert(
    fc.property(measurements, commands, fc.boolean(), (measured, commanded, flags) => {
      const flagsOf = ({ quality }: { quality: number }) => (flags ? [String(flagOf(quality))] : []);
      const header = flags ? ['flags'] : [];
      const measuredRows = measured.flatMap(({ name, datatype, records }) =>
        records.map((each) => [
          name,
          formatTimestamp(each.time),
          formatText(datatype, each.value),
          String(each.quality & 0xff),
          ...flagsOf(each),
        ]),
      );
      const commandedRows = commanded.flatMap(({ name, datatype, records }) =>
        records.map((each) => [name, formatTimestamp(each.time), formatText(datatype, each.value), ...flagsOf(each)]),
      );
      assert.deepEqual(parseCsv(read(measured, { form: 'csv', flags }).toString()), [
        ['name', 'time', 'value', 'quality', ...header],
        ...measuredRows,
      ]);
      assert.deepEqual(parseCsv(read(commanded, { form: 'csv', kind: 'commands', flags }).toString()), [
        ['name', 'time', 'value', ...header],
        ...commandedRows,
      ]);
    }),
  );
});

test('the binary form decodes to the records, bit for bit', () => {
  fc.assert(
    fc.property(measurements, fc.boolean(), (all, flags) => {
      const shown = flags ? 0xff | simulated : 0xff;
      const plain = all.map((series) => ({
        ...series,
        records: series.records.map((each) => ({ ...each, quality: each.quality & shown })),
      }));
      assert.deepEqual(parseBinary(read(all, { form: 'binary', flags })), plain);
    }),
  );
});

test('the binary form of many records is frames in time order, of each datatype its own', () => {
  const first = Array.from({ length: 9000 }, (_, at) => ({ time: at, value: at / 10, quality: 192 }));
  const second = Array.from({ length: 9000 }, (_, at) => ({ time: 4000 + at, value: BigInt(at), quality: 0 }));
  const all: PlainSeries[] = [
    { name: 'level', datatype: 'd', records: first },
    { name: 'level', datatype: 'l', records: second },
  ];
  const frames = parseBinary(read(all, { form: 'binary' }));
  const records = frames.flatMap((frame) => frame.records);
  const sorted = [...first, ...second].sort((a, b) => a.time - b.time);
  assert.deepEqual(records, sorted);
  assert.ok(
    frames.every(({ datatype, records: some }) =>
      some.every(({ value }) => (typeof value === 'bigint') === (datatype === 'l')),
    ),
  );
});

const transitions = fc.array(
  fc.record({
    time,
    state: fc.constantFrom('INACT_ACK', 'ACT_UNACK', 'ACT_ACK', 'INACT_UNACK'),
    authority: text,
    description: text,
  }),
  { maxLength: 20 },
);

test('alarms have their state, description and authority in every form', () => {
  fc.assert(
    fc.property(transitions, fc.boolean(), (unsorted, activeOnly) => {
      const sorted = unsorted.sort((a, b) => a.time - b.time);
      const records = sorted.map((each) => ({ time: each.time, value: packAlarm(each), quality: 0 }));
      const given = sorted.filter(({ state }) => !activeOnly || state.startsWith('ACT_'));
      const all: PlainSeries[] = [{ name: 'level_high', datatype: 's', records }];
      const request = { kind: 'alarms', activeOnly } as const;
      const list = given.map(({ time: us, state, description, authority }) => ({
        t: toTimestamp(us),
        state,
        description,
        authority,
      }));
      assert.equal(read(all, request).toString(), JSON.stringify({ level_high: list }));
      assert.deepEqual(parseCsv(read(all, { ...request, form: 'csv' }).toString()), [
        ['name', 'time', 'state', 'authority', 'description'],
        ...given.map((each) => [
          'level_high',
          formatTimestamp(each.time),
          each.state,
          each.authority,
          each.description,
        ]),
      ]);
      const frames = parseBinary(read(all, { ...request, form: 'binary' }));
      assert.deepEqual(
        frames.flatMap((frame) => frame.records),
        given.map((each) => ({ time: each.time, value: packAlarm(each), quality: 0 })),
      );
    }),
  );
});

const level: PlainSeries = { name: 'level', datatype: 'd', records: [{ time: 5, value: 21.5, quality: 192 }] };

test('names come in the order asked; unknown ones are left out, configured ones without records are empty', () => {
  const request = { names: ['nobody', 'flow', 'level', 'pump'], known: ['flow', 'level'] };
  assert.equal(read([level], request).toString(), '{"flow":[],"level":[["d21.5",[0,5],192]]}');
  assert.equal(
    read([level], { ...request, form: 'csv' })
      .toString()
      .split('\r\n').length,
    3,
  );
  assert.deepEqual(
    parseBinary(read([level], { ...request, form: 'binary' })).map(({ name, records }) => [name, records.length]),
    [
      ['flow', 0],
      ['level', 1],
    ],
  );
  assert.equal(read([level], { names: [] }).toString(), '{}');
  assert.equal(read([level], { names: ['level'], sinceUs: 6 }).toString(), '{"level":[]}');
});

test('an answer comes in pages that are not too long, whatever the form', () => {
  const records = Array.from({ length: 100_000 }, (_, at) => ({ time: at * 1e6, value: at / 100, quality: 192 }));
  for (const [form, kind] of [
    ['json', 'measurements'],
    ['csv', 'commands'],
    ['binary', 'measurements'],
  ] as const) {
    const pages = pagesOf([{ name: 'level', datatype: 'd', records }], { form, kind });
    assert.ok(pages.length > 2);
    for (const page of pages) assert.ok(page.length <= 1.25 * pageBytes);
  }
});

test('a text far longer than a page is given whole', () => {
  const long = 'ä"\n'.repeat(60_000);
  const all: PlainSeries[] = [
    { name: 'note', datatype: 's', records: [1, 2, 3].map((us) => ({ time: us, value: long, quality: 192 })) },
  ];
  const { note } = JSON.parse(read(all, {}).toString());
  assert.deepEqual(
    note.map(([value]: [string]) => value),
    [`s${long}`, `s${long}`, `s${long}`],
  );
  assert.deepEqual(
    parseBinary(read(all, { form: 'binary' })).flatMap(({ records }) => records),
    all[0]?.records,
  );
  assert.equal(parseCsv(read(all, { form: 'csv' }).toString())[2]?.[2], long);
});

test('averages of texts, and counts of alarms, are refused', () => {
  const note: PlainSeries = { name: 'note', datatype: 's', records: [{ time: 1, value: 'a', quality: 192 }] };
  for (const aggregate of ['avg', 'min', 'max'] as const) {
    assert.throws(() => read([note], { resampleUs: 10, aggregates: [aggregate] }), { problem: 'invalid-query' });
  }
  assert.throws(() => read([note], { kind: 'alarms', resampleUs: 10, aggregates: ['count'] }), {
    problem: 'invalid-query',
  });
  assert.equal(
    read([note], { untilUs: 20, resampleUs: 10, aggregates: ['count'] }).toString(),
    '{"note":[["l1",[0,0],88],["l0",[0,10],192]]}',
  );
});

test('the average of the greatest doubles is no infinity', () => {
  const { MAX_VALUE } = Number;
  const records = [MAX_VALUE, MAX_VALUE, MAX_VALUE].map((value, at) => ({ time: at, value, quality: 192 }));
  const json = read([{ name: 'level', datatype: 'd', records }], { untilUs: 10, resampleUs: 10, aggregates: ['avg'] });
  assert.equal(json.toString(), `{"level":[["${formatPrefixed('d', MAX_VALUE)}",[0,0],192]]}`);
});

test('kinds have the numbers of the binary form', () => {
  assert.deepEqual(kinds, ['measurements', 'commands', 'alarms']);
});
