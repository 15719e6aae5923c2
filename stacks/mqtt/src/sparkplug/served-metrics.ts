// The metrics of an edge node, by device, name and alias, as its points make them: scalars, instances of templates, arrays and
// data sets.
import { type HistoryRecord, propertyOf, type ServedPoint, type StackLog } from '@telltale/stack-kit';
import type { UntypedMetric } from './encode-payload.ts';
import { type Metric, metricType, propertyName, typeOfDatatype } from './metric.ts';
import {
  type NodeMetric,
  never,
  noteLink,
  propertiesOf,
  qualityProperty,
  reading,
  type SentPoint,
  type ServedDevice,
  typeOf,
} from './sent-point.ts';
import { sharedProperties, wholeReading } from './sent-whole.ts';
import { servedMetric } from './served-metric.ts';
import { gatherWholes, type Whole } from './whole.ts';

export const bdSeqName = 'bdSeq';
export const rebirthName = 'Node Control/Rebirth';
/** The edge node itself is the device without a name. */
export const itself = '';

/** What is served alone has this for its member. */
const alone = '';

export class ServedMetrics {
  devices = new Map<string, ServedDevice>();
  /** Those whose values of the past can be told: of elements and cells they cannot, without those beside them. */
  withPast: readonly ServedPoint[] = [];
  #points = new Map<ServedPoint, SentPoint>();
  #byAlias = new Map<number, { readonly device: string; readonly metric: NodeMetric }>();
  /** By the name of the device, a slash and the name of the metric: the device's has none. */
  #byName = new Map<string, NodeMetric>();
  /** From template to the types of its members. */
  #templates = new Map<string, Map<string, number>>();
  /** By the same. None is used for another metric later: a command on its way would go to the wrong one. */
  readonly #aliases = new Map<string, number>();

  setPoints(all: readonly ServedPoint[], log: StackLog): void {
    const before = new Map(
      [...this.#points].map(([{ point, isCommand }, sent]) => [`${isCommand} ${point.name}`, sent]),
    );
    this.devices = new Map();
    this.#points = new Map();
    this.#byAlias = new Map();
    this.#byName = new Map();
    this.#templates = new Map(
      all.flatMap(({ point }) => {
        const template = propertyOf(point, 'template');
        return template === undefined ? [] : [[template, new Map<string, number>()]];
      }),
    );
    this.#deviceOf(itself);
    const { wholes, faults } = gatherWholes(all);
    for (const [key, fault] of faults) log.warn(`the points of ${key.replace(/^\//, '')} are not served: ${fault}`);
    for (const served of all) {
      const fault = this.#add(served, before.get(`${served.isCommand} ${served.point.name}`), wholes);
      if (fault !== undefined) log.warn(`${served.point.name} is not served: ${fault}`);
    }
    this.withPast = all.filter((served) => this.#points.get(served)?.metric.whole === undefined);
    for (const device of this.devices.values()) {
      warnOfCase(
        device.metrics.map(({ name }) => `${device.name}/${name}`),
        log,
      );
    }
    warnOfCase(this.devices.keys(), log);
  }

  get(served: ServedPoint): SentPoint | undefined {
    return this.#points.get(served);
  }

  find(device: string, name: string | undefined, alias: number | undefined): NodeMetric | undefined {
    const byAlias = alias === undefined ? undefined : this.#byAlias.get(alias);
    // An unknown alias, such as 0 of an encoder that always writes one, is ignored if there is a name.
    if (name) {
      const metric = this.#byName.get(`${device}/${name}`);
      return byAlias === undefined || byAlias.metric === metric ? metric : undefined;
    }
    return byAlias?.device === device ? byAlias.metric : undefined;
  }

  /** What a command may leave out of it. */
  known(device: string, name: string | undefined, alias: number | undefined): Metric | undefined {
    const metric = this.find(device, name, alias);
    if (metric === undefined) return undefined;
    const { template, whole } = metric;
    if (whole !== undefined) return { name: metric.name, type: whole.type };
    if (template === undefined) {
      const point = metric.points.get(alone);
      return { name: metric.name, type: point && typeOfDatatype(point.served.point.datatype) };
    }
    const members = Array.from(this.#templates.get(template) ?? [], ([member, type]) => ({ name: member, type }));
    const value = { kind: 'template', isDefinition: false, ref: template, members } as const;
    return { name: metric.name, type: metricType.template, value };
  }

  /** For the birth of the edge node. */
  definitions(timestampMs: number): Metric[] {
    return Array.from(this.#templates, ([name, types]): Metric => {
      const members = Array.from(types, ([member, type]) => ({ name: member, timestampMs, type, isNull: true }));
      return {
        name,
        alias: this.#aliasOf(`${itself}/${name}`),
        timestampMs,
        type: metricType.template,
        value: { kind: 'template', isDefinition: true, members },
      };
    });
  }

  /** All metrics of a device, as they are. */
  birth(device: ServedDevice, nowUs: number): Metric[] {
    return device.metrics.map((metric) => {
      const { name, alias, template, whole, points } = metric;
      if (whole !== undefined) {
        const { properties = [], ...own } = wholeReading(whole, metric, nowUs);
        const all = new Map([...properties, ...sharedProperties(metric)]);
        return { name, alias, ...own, type: whole.type, properties: all };
      }
      if (template === undefined) {
        const point = points.get(alone) as SentPoint;
        return { name, alias, ...reading(point, nowUs), type: typeOf(point), properties: propertiesOf(point, true) };
      }
      const members = Array.from(this.#templates.get(template) ?? [], ([member, type]): Metric => {
        const point = points.get(member);
        const timestampMs = Math.floor(nowUs / 1000);
        if (point === undefined) return { name: member, timestampMs, type, isNull: true };
        return { name: member, ...reading(point, nowUs), type, properties: propertiesOf(point, true) };
      });
      return { name, alias, ...instance(template, members), type: metricType.template };
    });
  }

  /** Those that have changed, by alias; of a whole, all of it. */
  data(changed: Iterable<SentPoint>, nowUs: number): UntypedMetric[] {
    const instances = new Map<NodeMetric, UntypedMetric[]>();
    const metrics: UntypedMetric[] = [];
    for (const point of changed) {
      const { metric, member } = point;
      const { alias, whole } = metric;
      if (whole !== undefined) {
        metrics.push({ alias, ...wholeReading(whole, metric, nowUs) });
        continue;
      }
      const own = { ...reading(point, nowUs), bornType: typeOf(point), properties: propertiesOf(point, false) };
      if (member === undefined) metrics.push({ alias, ...own });
      else instances.set(metric, [...(instances.get(metric) ?? []), { name: member, ...own }]);
    }
    for (const [{ alias, template = '' }, members] of instances)
      metrics.push({ alias, ...instance(template, members) });
    return metrics;
  }

  /** A value that the archive has of it, by alias; undefined where it had another datatype then, or is a part of a whole. */
  past(point: SentPoint, { datatype, value, quality: own, timeUs }: HistoryRecord): UntypedMetric | undefined {
    const { metric, member, served } = point;
    if (datatype !== served.point.datatype || metric.whole !== undefined) return undefined;
    const properties = new Map([[propertyName.quality, qualityProperty(own)]]);
    const timestampMs = Math.floor(timeUs / 1000);
    const past = { timestampMs, isHistorical: true, value, bornType: typeOf(point), properties };
    if (member === undefined) return { alias: metric.alias, ...past };
    const { value: whole } = instance(metric.template ?? '', [{ name: member, ...past }]);
    return { alias: metric.alias, timestampMs, isHistorical: true, value: whole };
  }

  /** What is wrong. */
  #add(served: ServedPoint, before: SentPoint | undefined, wholes: ReadonlyMap<string, Whole>): string | undefined {
    const { device: deviceName, metric: name, template, member, cell } = servedMetric(served.point);
    const key = `${deviceName}/${name}`;
    const whole = cell && wholes.get(key);
    // What is wrong with the whole was said of the whole.
    if (cell !== undefined && whole === undefined) return undefined;
    const isOwn = name === bdSeqName || name === rebirthName || this.#templates.has(name);
    const known = this.#byName.get(key);
    if (deviceName === itself && isOwn) return 'the edge node itself has a metric of this name';
    const isOneOfMany = template !== undefined || whole !== undefined;
    if (known !== undefined && !(isOneOfMany && known.template === template && known.whole === whole)) {
      return 'another point has the same metric name';
    }
    if (known?.points.has(member ?? alone)) return 'another point is the same member';
    const type = typeOfDatatype(served.point.datatype);
    if (template !== undefined && member !== undefined) {
      const types = this.#templates.get(template);
      if ((types?.get(member) ?? type) !== type) return `member ${member} of template ${template} has another datatype`;
      types?.set(member, type);
    }
    const device = this.#deviceOf(deviceName);
    const metric = known ?? { name, alias: this.#aliasOf(key), template, whole, points: new Map() };
    if (known === undefined) {
      device.metrics.push(metric);
      this.#byName.set(key, metric);
      this.#byAlias.set(metric.alias, { device: deviceName, metric });
    }
    const hasValue = before?.hasValue === true && served.value !== undefined;
    const point: SentPoint = { served, device, metric, member, isLost: false, hasValue, sent: never };
    metric.points.set(member ?? alone, point);
    this.#points.set(served, point);
    if (!served.isCommand) device.measurements++;
    noteLink(point);
    return undefined;
  }

  #deviceOf(name: string): ServedDevice {
    const known = this.devices.get(name) ?? { name, metrics: [], measurements: 0, lost: 0 };
    this.devices.set(name, known);
    return known;
  }

  #aliasOf(key: string): number {
    const alias = this.#aliases.get(key) ?? this.#aliases.size + 1;
    this.#aliases.set(key, alias);
    return alias;
  }
}

/** Sparkplug wants none of them: host applications may take one for the other. */
function warnOfCase(names: Iterable<string>, log: StackLog): void {
  const known = new Map<string, string>();
  for (const name of names) {
    const same = known.get(name.toLowerCase());
    if (same === undefined) known.set(name.toLowerCase(), name);
    else log.warn(`${same} and ${name} differ in case alone: host applications may take them for one`);
  }
}

function instance(ref: string, members: readonly UntypedMetric[]): Pick<Metric, 'timestampMs' | 'value'> {
  const timestampMs = Math.max(0, ...members.map((member) => member.timestampMs ?? 0));
  return { timestampMs, value: { kind: 'template', isDefinition: false, ref, members } };
}
