import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  checker,
  type Datatype,
  type Family,
  families,
  formatText,
  type Put,
  parseText,
  reservedName,
} from '@telltale/schema';
import simulator from '@telltale/stack-simulator';
import stack from '../stack.ts';
import { waterworksTags } from '../tags.ts';
import { symbolIds, symbols } from './draw.ts';
import { waterworks } from './index.ts';

const stackOf = (stackName: string | undefined) =>
  [stack, simulator].find(({ name }) => name === stackName) ?? assert.fail();

type In<F extends Family> = Extract<Put, { family: F }>['object'];
const objects = <F extends Family>(family: F): In<F>[] =>
  waterworks.filter((put) => put.family === family).map((put) => put.object as In<F>);
const namesOf = (family: Family) => new Set(objects(family).map(({ name }) => name));

const measurements = objects('measurements');
const commands = objects('commands');
const alarms = objects('alarms');
const connectors = objects('connectors');
const providers = objects('providers');
const points = [
  ...measurements.map((point) => ({ kind: 'measurement' as const, initialValue: undefined, ...point })),
  ...commands.map((point) => ({ kind: 'command' as const, deadband: undefined, ...point })),
];
const drivenByService = new Set([...connectors, ...providers].map(({ wdtMeasurement }) => wdtMeasurement));

describe('the demonstration plant', () => {
  test('is a transaction of objects that fit their schemas, no name twice in a family, none reserved', () => {
    const seen = new Set<string>();
    for (const { family, name, object } of waterworks) {
      assert.deepEqual(checker(families[family]).faults(object), [], `${family}/${name}`);
      assert.equal(object.name, name);
      assert.notEqual(name, reservedName);
      assert.ok(!seen.has(`${family}/${name}`), `${family}/${name} is there twice`);
      seen.add(`${family}/${name}`);
    }
  });

  test('has about 80 points, each described, each measurement of a number with its range and unit', () => {
    assert.ok(points.length >= 75 && points.length <= 90, `${points.length} points`);
    for (const { name, description, datatype, eu, euRangeLo, euRangeHi } of points) {
      assert.ok(description, name);
      if (datatype !== 'd' && datatype !== 'f') continue;
      assert.ok(eu && Number(euRangeLo) < Number(euRangeHi), name);
    }
    assert.deepEqual(new Set(points.map(({ datatype, rawDatatype }) => rawDatatype ?? datatype)).size, 7);
  });

  test('refers only to what is there', () => {
    const known = { measurements: namesOf('measurements'), commands: namesOf('commands') };
    for (const { name, connectorName, leader, providerAddresses = {} } of points) {
      if (connectorName !== undefined) assert.ok(namesOf('connectors').has(connectorName), name);
      if (leader !== undefined) assert.ok(known.measurements.has(leader) || known.commands.has(leader), name);
      for (const provider of Object.keys(providerAddresses)) assert.ok(namesOf('providers').has(provider), name);
    }
    for (const { name, trgMeasurement } of alarms) {
      if (trgMeasurement !== undefined) assert.ok(known.measurements.has(trgMeasurement), name);
    }
    for (const { name, wdtMeasurement = '' } of [...connectors, ...providers]) {
      assert.equal(measurements.find((each) => each.name === wdtMeasurement)?.datatype, 'b', name);
    }
    assert.equal(drivenByService.size, connectors.length + providers.length);
  });

  test('has variables and addresses that its stacks take, each provider address once', () => {
    const roles = {
      connectors: new Map(connectors.map(({ name, stackName }) => [name, stackOf(stackName).connector])),
      providers: new Map(providers.map(({ name, stackName }) => [name, stackOf(stackName).provider])),
    };
    for (const family of ['connectors', 'providers'] as const) {
      for (const { name, vars = {} } of objects(family)) {
        assert.deepEqual(roles[family].get(name)?.readVariables(vars).faults, [], name);
      }
    }
    const claimed = new Set<string>();
    for (const { kind, address, connectorName, providerAddresses = {}, ...point } of points) {
      assert.equal(connectorName === undefined, drivenByService.has(point.name), point.name);
      if (connectorName !== undefined) {
        const role = roles.connectors.get(connectorName) ?? assert.fail(connectorName);
        assert.equal(role.checkAddress(kind, address ?? '', point), undefined, point.name);
      }
      for (const [provider, served] of Object.entries(providerAddresses)) {
        const role = roles.providers.get(provider) ?? assert.fail(provider);
        assert.equal(role.checkAddress(kind, served, point), undefined, point.name);
        assert.ok(!claimed.has(`${provider} ${served}`), `${provider} ${served}`);
        claimed.add(`${provider} ${served}`);
      }
    }
    assert.ok(claimed.size >= 3);
  });

  test('reads back over the bus only what its provider serves, and a fault strikes a point of its connector', () => {
    const served = new Map(
      points.flatMap((point) => Object.values(point.providerAddresses ?? {}).map((tag) => [tag, point] as const)),
    );
    for (const { kind, name, address = '', connectorName } of points) {
      const [, tag] = /^bus\((.*)\)$/.exec(address) ?? [];
      if (tag !== undefined)
        assert.ok(kind === 'measurement' ? served.has(tag) : served.get(tag)?.kind === 'command', name);
      const [, struck] = /\(of=(\w+)/.exec(address) ?? [];
      if (struck !== undefined) {
        assert.equal(points.find((point) => point.name === struck)?.connectorName, connectorName, name);
      }
    }
  });

  test('has texts that are values of their datatypes, in range', () => {
    const read = (name: string, datatype: Datatype, text: string | undefined) =>
      text === undefined ? undefined : assert.doesNotThrow(() => parseText(datatype, text), `${name}: ${text}`);
    for (const { name, datatype, rawDatatype = datatype, ...point } of points) {
      for (const text of [point.rawRangeLo, point.rawRangeHi]) read(name, rawDatatype, text);
      for (const text of [point.euRangeLo, point.euRangeHi, point.initialValue, point.archValueDeadband]) {
        read(name, datatype, text);
      }
      assert.match(point.deadband ?? '1%', /^\d+(\.\d+)?%$/, name);
      if (point.initialValue === undefined || point.euRangeLo === undefined) continue;
      assert.ok(Number(point.initialValue) >= Number(point.euRangeLo), name);
      assert.ok(Number(point.initialValue) <= Number(point.euRangeHi), name);
    }
    for (const { name, trgMeasurement, trgRefValue, trgHysteresis, trgOperator } of alarms) {
      if (trgMeasurement === undefined) continue;
      const { datatype, euRangeLo, euRangeHi } =
        measurements.find((each) => each.name === trgMeasurement) ?? assert.fail();
      assert.ok(trgOperator !== undefined && trgRefValue !== undefined, name);
      for (const text of [trgRefValue, trgHysteresis]) read(name, datatype, text);
      assert.equal(trgHysteresis === undefined, datatype === 'b' || datatype === 'q', name);
      if (euRangeLo === undefined) continue;
      assert.ok(Number(trgRefValue) > Number(euRangeLo) && Number(trgRefValue) < Number(euRangeHi), name);
    }
  });

  test('shows every tag of the model, once, with the unit and the start that the plant has', () => {
    const byAddress = new Map(points.map((point) => [`${point.kind} ${point.address}`, point]));
    for (const { name, direction, unit, start } of waterworksTags) {
      const kind = direction === 'input' ? 'command' : 'measurement';
      const point = byAddress.get(`${kind} model(${name})`) ?? assert.fail(`no ${kind} shows ${name}`);
      const { euRangeLo, euRangeHi, rawRangeLo, rawRangeHi } = point;
      if (rawRangeLo === undefined) assert.equal(point.eu ?? '', unit, name);
      if (start === undefined) continue;
      const share =
        rawRangeLo === undefined ? undefined : (start - Number(rawRangeLo)) / (Number(rawRangeHi) - Number(rawRangeLo));
      const inUnits = share === undefined ? start : Number(euRangeLo) + share * (Number(euRangeHi) - Number(euRangeLo));
      assert.equal(point.initialValue, formatText('d', inUnits), name);
    }
    const shown = points.filter(({ address }) => address?.startsWith('model('));
    assert.equal(shown.length, waterworksTags.length);
  });

  test('shows what alarms can do: every operator, delays, a trigger and a hand, both ways to acknowledge', () => {
    assert.deepEqual(
      new Set(alarms.map(({ trgOperator }) => trgOperator)),
      new Set([undefined, 'lt', 'gt', 'le', 'ge', 'eq', 'ne']),
    );
    assert.deepEqual(new Set(alarms.map(({ ackMode }) => ackMode)), new Set(['manual', 'auto']));
    assert.ok(alarms.some(({ properties }) => properties?.onDelay !== undefined));
  });

  test('has pictures whose bindings and openings are of things that are there', () => {
    const points = new Set([...namesOf('measurements'), ...namesOf('commands'), ...namesOf('alarms')]);
    const known = { picture: namesOf('pictures'), trend: namesOf('trends'), point: points };
    for (const { name, svg, parameters = {} } of objects('pictures')) {
      const given = [parameters, { ...parameters, unit: 'pump2' }, { ...parameters, unit: 'pump3' }];
      for (const texts of given) {
        const filled = svg.replaceAll(/\{(\w+)\}/g, (whole, key: string) => texts[key] ?? whole);
        const bound = Array.from(
          filled.matchAll(/(?:data-tt-point="|[";]point=)([^"&{]+)["&]/g),
          ([, point = '']) => point,
        );
        assert.ok(bound.length > 10, name);
        for (const point of bound) assert.ok(points.has(point), `${name} is bound to ${point}`);
        for (const [, kind = '', target = ''] of filled.matchAll(/data-tt-opens="(\w+):(\w+)/g)) {
          assert.ok(known[kind as keyof typeof known].has(target), `${name} opens ${kind} ${target}`);
        }
        const used = Array.from(filled.matchAll(/<use href="#([\w-]+)"/g), ([, id]) => id);
        for (const id of used) assert.ok(filled.includes(`<symbol id="${id}"`), `${name} has no symbol ${id}`);
      }
      for (const [, key = ''] of svg.matchAll(/(?<=data-tt-parameters="[^"]*)\{(\w+)\}/g))
        assert.ok(key in parameters, key);
    }
  });

  test('has symbols as they are on the sheet', () => {
    const flat = (text: string) => text.replaceAll(/\n\s*/g, ' ');
    const sheet = flat(readFileSync(new URL('../../../../packages/web/src/look/symbols.svg', import.meta.url), 'utf8'));
    for (const id of symbolIds) assert.ok(sheet.includes(flat(symbols([id]))), `${id} is another one`);
  });

  test('has trends of points that are there, on axes that are described', () => {
    for (const { name, pens, axes = [] } of objects('trends')) {
      for (const pen of pens) {
        assert.ok(namesOf(pen.kind).has(pen.name), `${name} draws ${pen.name}`);
        assert.ok(pen.axis === undefined || axes.some((axis) => axis.name === pen.axis), `${name} has no ${pen.axis}`);
      }
    }
  });
});
