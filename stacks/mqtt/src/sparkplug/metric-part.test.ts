import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { birthItems } from './birth-points.ts';
import { decodePayload } from './decode-payload.ts';
import { isTemplate, type Metric, metricsByName, metricType } from './metric.ts';
import { parseMetricAddress } from './metric-address.ts';
import { locatePart, readPart } from './metric-part.ts';
import { ProtobufWriter } from './protobuf.ts';

/** Names that look like paths are the hard ones. */
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6 }),
  fc
    .array(fc.constantFrom('a', 'b', '/', '[', ']', '@', '0', '#', '.'), { minLength: 1, maxLength: 6 })
    .map((all) => all.join('')),
);
const { metrics: births } = fc.letrec<{ metric: Metric; metrics: Metric[] }>((tie) => ({
  metrics: fc.array(tie('metric'), { maxLength: 5 }),
  metric: fc.oneof(
    { depthSize: 'small' },
    fc.record({ name, type: fc.constant(metricType.double), value: fc.double(), properties: fc.constant(undefined) }),
    fc.tuple(name, fc.dictionary(name, fc.string(), { maxKeys: 3 })).map(
      ([own, texts]): Metric => ({
        name: own,
        type: metricType.string,
        value: 'x',
        properties: new Map(
          Object.entries(texts).map(([key, value]) => [key, { type: metricType.string, value }] as const),
        ),
      }),
    ),
    fc
      .tuple(name, fc.uint8Array({ maxLength: 9 }), fc.integer({ min: 22, max: 34 }))
      .map(([own, value, type]): Metric => ({ name: own, type, value })),
    fc.tuple(name, fc.array(name, { maxLength: 3 }), fc.nat(3)).map(
      ([own, columns, count]): Metric => ({
        name: own,
        type: metricType.dataSet,
        value: {
          kind: 'dataSet',
          columns,
          types: columns.map(() => metricType.int32),
          rows: Array.from({ length: count }, (_, row) => columns.map((_column, at) => row * 10 + at)),
        },
      }),
    ),
    fc.tuple(name, tie('metrics')).map(
      ([own, members]): Metric => ({
        name: own,
        type: metricType.template,
        value: { kind: 'template', isDefinition: false, ref: 'T', members },
      }),
    ),
  ),
}));

describe('a part of a metric', () => {
  test('can be read at every address that browsing offers', () => {
    fc.assert(
      fc.property(births, (metrics) => {
        const born = metricsByName(metrics);
        const all = birthItems({ group: 'G', node: 'N', device: 'D', metrics });
        const items = [
          ...all,
          ...all.flatMap(({ path = '' }) =>
            birthItems({ group: 'G', node: 'N', device: 'D', metrics }, path.slice(path.indexOf('#') + 1)),
          ),
        ];
        for (const { measurement } of items) {
          const { address } = parseMetricAddress(measurement?.address ?? '');
          const located = locatePart(born, address?.metric ?? '');
          const root = born.get(located?.root ?? '');
          assert.ok(root !== undefined && located !== undefined, `${measurement?.address}`);
          // A metric of the same name that stands further back is the one that counts: it may be of another kind.
          if (metrics.length === born.size)
            assert.ok(readPart(root, located.rest, root.type), `${measurement?.address}`);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('of any text is found or not, and read or not, without an error', () => {
    fc.assert(
      fc.property(births, name, name, (metrics, one, other) => {
        const born = metricsByName(metrics);
        for (const path of [one, other, `${one}/${other}`, `${one}[0]/${other}`, `${one}@${other}`, `${one}[999999]`]) {
          const located = locatePart(born, path);
          const root = located && born.get(located.root);
          if (root !== undefined) readPart(root, located?.rest ?? '', root.type);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('a metric of that very name comes first, then the longest', () => {
    const template = (members: Metric[]) => ({ kind: 'template', isDefinition: false, ref: 'T', members }) as const;
    const value = (text: string) => ({ type: metricType.string, value: text });
    const born = metricsByName([
      { name: 'a', value: template([{ name: 'b/c', ...value('member of a') }]) },
      {
        name: 'a/b',
        value: template([
          { name: 'c', ...value('member of a/b') },
          { name: 'd', ...value('d') },
        ]),
      },
    ]);
    assert.deepEqual(locatePart(born, 'a/b/c'), { root: 'a/b', rest: '/c' });
    born.set('a/b/c', { name: 'a/b/c', ...value('itself') });
    assert.deepEqual(locatePart(born, 'a/b/c'), { root: 'a/b/c', rest: '' });
    assert.equal(locatePart(born, 'a/b/e'), undefined);
  });
});

describe('a hostile payload', () => {
  const metricWith = (write: (metric: ProtobufWriter) => void) => {
    const writer = new ProtobufWriter();
    writer.message(2, write);
    return writer.finish();
  };

  test('with templates, or property sets, of more than eight levels is refused', () => {
    const nested = (depth: number): Buffer => {
      const writer = new ProtobufWriter();
      if (depth > 0) writer.bytes(2, metricBytes(nested(depth - 1)));
      return writer.finish();
    };
    const metricBytes = (template: Uint8Array) => {
      const writer = new ProtobufWriter();
      writer.bytes(18, template);
      return writer.finish();
    };
    const of = (depth: number) => metricWith((metric) => metric.bytes(18, nested(depth)));
    assert.equal(decodePayload(of(7)).metrics.length, 1);
    assert.throws(() => decodePayload(of(8)), /more than 8 levels/);
    assert.throws(() => decodePayload(of(1000)), /more than 8 levels/);
    const sets = (depth: number): Buffer => {
      const writer = new ProtobufWriter();
      if (depth > 0) writer.message(2, (property) => property.bytes(9, sets(depth - 1)));
      return writer.finish();
    };
    assert.throws(() => decodePayload(metricWith((metric) => metric.bytes(9, sets(1000)))), /more than 8 levels/);
  });

  test('with more than 100,000 metrics, cells or properties together is refused', () => {
    const many = 100_001;
    const row = new ProtobufWriter();
    for (let at = 0; at < many; at++) row.bytes(1, Buffer.alloc(0));
    const cells = metricWith((metric) => metric.message(17, (set) => set.bytes(4, row.finish())));
    const keys = metricWith((metric) =>
      metric.message(9, (set) => {
        for (let at = 0; at < many; at++) set.bytes(1, 'k');
      }),
    );
    const metrics = new ProtobufWriter();
    for (let at = 0; at < many; at++) metrics.bytes(2, Buffer.alloc(0));
    for (const bytes of [cells, keys, metrics.finish()]) {
      assert.throws(() => decodePayload(bytes), /more than 100000 metrics, cells and properties/);
    }
  });

  test('of 40,000 instances of a template of 40,000 members takes each member for what the template says', () => {
    const count = 40_000;
    const members = Array.from({ length: count }, (_, at) => ({ name: `m${at}`, alias: at, type: metricType.int8 }));
    const template = { kind: 'template', isDefinition: true, members, byName: metricsByName(members) } as const;
    const metrics = new ProtobufWriter();
    const instance = (write: (member: ProtobufWriter) => void) =>
      metrics.message(2, (metric) =>
        metric.message(18, (inner) => {
          inner.bytes(4, 'T');
          inner.message(2, write);
        }),
      );
    for (let at = 0; at < count; at++) {
      instance((member) => {
        if (at % 2 === 0) member.bytes(1, `m${at}`);
        else member.varint(2, at);
        member.varint(10, 255);
      });
    }
    const read = decodePayload(metrics.finish(), { definition: () => template }).metrics;
    assert.ok(read.every(({ value }) => isTemplate(value) && value.members[0]?.value === -1));
  });

  test('with names such as __proto__ is read as any other', () => {
    const bytes = metricWith((metric) => {
      metric.bytes(1, '__proto__');
      metric.varint(4, metricType.string);
      metric.message(9, (set) => {
        set.bytes(1, 'constructor');
        set.message(2, (property) => property.bytes(8, 'x'));
      });
      metric.bytes(15, 'y');
    });
    const born = metricsByName(decodePayload(bytes).metrics);
    const root = born.get('__proto__') as Metric;
    assert.equal(readPart(root, '', undefined)?.value, 'y');
    assert.equal(readPart(root, '@constructor', undefined)?.value, 'x');
    assert.equal(readPart(root, '@toString', undefined), undefined);
  });
});
