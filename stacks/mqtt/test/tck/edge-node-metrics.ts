// Statements about the metrics in the messages of an edge node: values, times, aliases, properties, templates and data sets.
import assert from 'node:assert/strict';
import { holds } from './holds.ts';
import type { LivedEdgeNode } from './lived-edge-node.ts';
import type { Published } from './traffic.ts';

/** Types that the specification has for metrics and, of these, for properties. */
const isType = (type: unknown) => typeof type === 'number' && Number.isInteger(type) && type >= 1 && type <= 34;
const isBasicType = (type: unknown) => isType(type) && (type as number) <= 15;

export function metricsHold(life: LivedEdgeNode): void {
  const { published, of, metricsOf, lives } = life;

  holds(
    [
      'tck-id-topics-nbirth-metrics',
      'tck-id-topics-dbirth-metrics',
      'tck-id-payloads-name-requirement',
      'tck-id-payloads-metric-datatype-req',
      'tck-id-payloads-metric-datatype-value',
      'tck-id-payloads-metric-datatype-value-type',
    ],
    'metrics of births have a name, a datatype of the specification, and a value or null',
    () => {
      for (const { name, datatype, isNull, hasValue } of metricsOf('NBIRTH', 'DBIRTH')) {
        assert.ok(name && isType(datatype) && isNull !== hasValue, `${name}`);
      }
    },
  );

  holds(['tck-id-payloads-metric-datatype-not-req'], 'metrics of data have no datatype', () =>
    assert.ok(metricsOf('NDATA', 'DDATA').every(({ datatype }) => datatype === undefined)),
  );

  holds(
    ['tck-id-payloads-alias-birth-requirement', 'tck-id-payloads-alias-uniqueness'],
    'metrics of births have aliases, each its own, but for those of the edge node itself',
    () => {
      const own = ['bdSeq', 'Node Control/Rebirth'];
      for (const life of lives()) {
        const names = new Map<number, string>();
        for (const { kind, device, metrics } of life) {
          if (!kind.endsWith('BIRTH')) continue;
          for (const { name = '', alias } of metrics) {
            if (own.includes(name)) continue;
            const full = `${device} ${name}`;
            assert.equal(names.get(alias ?? -1) ?? full, full);
            names.set(alias ?? assert.fail(`${full} has no alias`), full);
          }
        }
      }
    },
  );

  holds(['tck-id-payloads-alias-data-cmd-requirement'], 'metrics of data have the alias alone', () =>
    assert.ok(metricsOf('NDATA', 'DDATA').every(({ name, alias }) => name === undefined && alias !== undefined)),
  );

  holds(
    ['tck-id-payloads-name-birth-data-requirement', 'tck-id-payloads-metric-timestamp-in-UTC'],
    'every metric has a time in UTC',
    () => {
      const all = metricsOf('NBIRTH', 'DBIRTH', 'NDATA', 'DDATA');
      assert.ok(all.every(({ timestamp = 0 }) => timestamp >= life.startedMs - 60_000 && timestamp <= life.stoppedMs));
    },
  );

  holds(
    [
      'tck-id-topics-nbirth-metric-reqs',
      'tck-id-topics-dbirth-metric-reqs',
      'tck-id-operational-behavior-data-publish-nbirth',
      'tck-id-operational-behavior-data-publish-dbirth',
    ],
    'what data ever has is in the birth before',
    () => {
      for (const life of lives()) {
        const born = new Map<string, Set<number | undefined>>();
        for (const { kind, device = '', metrics } of life) {
          const aliases = metrics.map(({ alias }) => alias);
          if (kind.endsWith('BIRTH')) born.set(device, new Set(aliases));
          else if (kind.endsWith('DATA')) assert.ok(aliases.every((alias) => born.get(device)?.has(alias)));
        }
      }
    },
  );

  holds(
    [
      'tck-id-operational-behavior-data-publish-nbirth-values',
      'tck-id-operational-behavior-data-publish-dbirth-values',
    ],
    'births have the present values; what has none is null, without a value',
    () => {
      const [node, again] = of('NBIRTH');
      const value = (from: Published | undefined, name: string) => from?.metrics.find((each) => each.name === name);
      assert.equal(value(node, 'Hours')?.long, 5);
      assert.equal(value(again, 'Hours')?.long, 6);
      assert.deepEqual([value(node, 'State')?.isNull, value(node, 'State')?.hasValue], [true, false]);
      const [device] = of('DBIRTH');
      assert.equal(value(device, 'Flow')?.double, 1.5);
      assert.deepEqual([value(device, 'Speed')?.isNull, value(device, 'Speed')?.hasValue], [true, false]);
      assert.equal(
        value(
          of('DBIRTH')
            .filter((each) => each.device === 'A')
            .at(-1),
          'Speed',
        )?.double,
        8,
      );
    },
  );

  holds(
    [
      'tck-id-operational-behavior-data-publish-nbirth-change',
      'tck-id-operational-behavior-data-publish-dbirth-change',
      'tck-id-topics-ndata-payload',
      'tck-id-topics-ddata-payload',
      'tck-id-principles-rbe-recommended',
    ],
    'data has what has changed, and nothing else',
    () => {
      const aliasOf = (kind: string, name: string) =>
        of(kind)[0]?.metrics.find((metric) => metric.name === name)?.alias;
      const [hours] = of('NDATA');
      assert.deepEqual(
        hours?.metrics.map(({ alias, long }) => [alias, long]),
        [[aliasOf('NBIRTH', 'Hours'), 6]],
      );
      const changed = of('DDATA')[0]?.metrics.map(({ alias }) => alias);
      const names = ['Flow', 'Level', 'Pump'].map((name) => aliasOf('DBIRTH', name));
      assert.deepEqual(new Set(changed), new Set(names));
      assert.equal(of('DDATA').length, 2);
    },
  );

  holds(
    ['tck-id-operational-behavior-data-publish-nbirth-order', 'tck-id-operational-behavior-data-publish-dbirth-order'],
    'metrics are in the order of their times',
    () => {
      for (const { metrics } of published) {
        const times = metrics.map(({ timestamp = 0 }) => timestamp);
        assert.deepEqual(
          times,
          times.toSorted((one, other) => one - other),
        );
      }
    },
  );

  holds(
    ['tck-id-payloads-propertyset-keys-array-size', 'tck-id-payloads-propertyset-values-array-size'],
    'properties have as many keys as values',
    () => {
      const sets = metricsOf('NBIRTH', 'DBIRTH', 'NDATA', 'DDATA').flatMap(({ properties }) => properties ?? []);
      assert.ok(sets.length > 0);
      for (const { keys, values } of sets) assert.equal(keys?.length, values?.length);
    },
  );

  holds(
    [
      'tck-id-payloads-metric-propertyvalue-type-req',
      'tck-id-payloads-metric-propertyvalue-type-type',
      'tck-id-payloads-metric-propertyvalue-type-value',
    ],
    'every property has a type of the specification',
    () => {
      const sets = metricsOf('NBIRTH', 'DBIRTH').flatMap(({ properties }) => properties ?? []);
      assert.ok(sets.flatMap(({ values }) => values ?? []).every(({ type }) => isBasicType(type)));
    },
  );

  holds(
    ['tck-id-payloads-propertyset-quality-value-type', 'tck-id-payloads-propertyset-quality-value-value'],
    'the quality is an Int32: 0, 192 or 500',
    () => {
      const sets = metricsOf('NBIRTH', 'DBIRTH', 'NDATA', 'DDATA').flatMap(({ properties }) => properties ?? []);
      const values = sets.map(({ keys, values: all }) => all?.[keys?.indexOf('Quality') ?? -1]);
      assert.ok(values.every((value) => value?.type === 3));
      assert.deepEqual(new Set(values.map((value) => value?.intValue)), new Set([0, 192, 500]));
    },
  );

  const definitions = () => of('NBIRTH').map(({ metrics }) => metrics.filter(({ template }) => template?.isDefinition));
  const instances = (...kinds: string[]) =>
    metricsOf(...kinds)
      .flatMap(({ template }) => template ?? [])
      .filter(({ isDefinition }) => !isDefinition);
  const namesOf = (metrics: readonly { name?: string | null }[] | null | undefined) =>
    new Set(metrics?.map(({ name }) => name));

  holds(
    [
      'tck-id-topics-nbirth-templates',
      'tck-id-payloads-template-definition-nbirth',
      'tck-id-payloads-template-definition-nbirth-only',
      'tck-id-payloads-template-definition-members',
      'tck-id-payloads-template-definition-is-definition',
      'tck-id-payloads-template-definition-ref',
      'tck-id-payloads-template-ref-definition',
      'tck-id-payloads-template-is-definition',
      'tck-id-payloads-template-is-definition-definition',
    ],
    'the birth of the edge node, and no other message, has the definitions of templates, with all members',
    () => {
      for (const [definition, ...others] of definitions()) {
        assert.deepEqual([definition?.name, definition?.datatype, others.length], ['PumpType', 19, 0]);
        assert.deepEqual(namesOf(definition?.template?.metrics), new Set(['Power', 'Heat']));
        assert.ok(!Object.hasOwn(definition?.template ?? {}, 'templateRef'));
      }
      assert.ok(instances('NBIRTH').length === 0 && definitions().length === 3);
      assert.ok(metricsOf('DBIRTH', 'NDATA', 'DDATA').every(({ template }) => !template?.isDefinition));
    },
  );

  holds(
    [
      'tck-id-payloads-template-instance-is-definition',
      'tck-id-payloads-template-is-definition-instance',
      'tck-id-payloads-template-instance-ref',
      'tck-id-payloads-template-ref-instance',
      'tck-id-payloads-template-instance-members',
    ],
    'instances name their definition, and have its members alone',
    () => {
      for (const template of instances('DBIRTH', 'DDATA')) {
        assert.ok(Object.hasOwn(template, 'isDefinition') && !template.isDefinition);
        assert.equal(template.templateRef, 'PumpType');
        assert.ok(namesOf(template.metrics).isSubsetOf(new Set<unknown>(['Power', 'Heat'])));
      }
    },
  );

  holds(['tck-id-payloads-template-instance-members-birth'], 'in births, instances have all members', () => {
    assert.ok(instances('DBIRTH').length > 0);
    for (const { metrics } of instances('DBIRTH')) assert.equal(metrics?.length, 2);
  });

  holds(['tck-id-payloads-template-instance-members-data'], 'in data, instances have what has changed', () => {
    assert.deepEqual(
      instances('DDATA').map(({ metrics }) => [...namesOf(metrics)]),
      [['Power']],
    );
  });

  holds(
    [
      'tck-id-payloads-dataset-column-size',
      'tck-id-payloads-dataset-column-num-headers',
      'tck-id-payloads-dataset-types-def',
      'tck-id-payloads-dataset-types-num',
      'tck-id-payloads-dataset-types-type',
      'tck-id-payloads-dataset-types-value',
      'tck-id-payloads-dataset-parameter-type-req',
      'tck-id-payloads-template-dataset-value',
    ],
    'data sets have their columns, as many types, and a value of its type in each cell',
    () => {
      const sets = metricsOf('DBIRTH').flatMap(({ dataSet }) => dataSet ?? []);
      assert.ok(sets.length > 0);
      for (const { numOfColumns, columns, types, rows } of sets) {
        assert.deepEqual([Number(numOfColumns), columns, types], [2, ['Water', 'Grain'], [3, 12]]);
        assert.ok(types?.every(isBasicType));
        const [water, grain] = rows?.[0]?.elements ?? [];
        assert.deepEqual([(water?.intValue ?? 0) | 0, grain?.stringValue], [-5, 'rye']);
      }
    },
  );
}
