// What the birth of an edge node or device offers, as points: metrics, members of templates, elements of arrays, cells of data
// sets, and what a metric says of itself by its properties. Pure.
import type { Datatype } from '@telltale/schema';
import type { BrowsedPoint, BrowseItem } from '@telltale/stack-kit';
import { elementCount, elementType } from './array-value.ts';
import { decodePayload } from './decode-payload.ts';
import { isDataSet, isTemplate, type Metric, type Properties, propertyName } from './metric.ts';
import { namespace, parseMetricAddress } from './metric-address.ts';
import { datatypeOfType } from './metric-type.ts';

export interface SparkplugTopic {
  readonly group: string;
  readonly kind: string;
  readonly node: string;
  readonly device: string;
}

/** Of one metric, and of all of a birth. */
const maxParts = 1000;
const maxPoints = 100_000;

/** Undefined if it is invalid. */
export function parseSparkplugTopic(topic: string): SparkplugTopic | undefined {
  if (!topic.startsWith(namespace)) return undefined;
  const [, group, kind, node, device = '', ...more] = topic.split('/');
  return group && kind && node && more.length === 0 ? { group, kind, node, device } : undefined;
}

/** The birth of an edge node, or of one of its devices. */
export interface Birth {
  readonly group: string;
  readonly node: string;
  /** Empty: of the edge node itself. */
  readonly device: string;
  readonly metrics: readonly Metric[];
}

/** Nothing where the bytes are no birth. */
export function metricsOfBirth(bytes: Uint8Array): readonly Metric[] {
  try {
    return decodePayload(bytes).metrics;
  } catch {
    return [];
  }
}

/** `metric`: what that metric says of itself; else all metrics. */
export function birthItems({ group, node, device, metrics }: Birth, metric?: string): BrowseItem[] {
  const place = `${namespace}${group}/${node}${device && `/${device}`}`;
  const found: Found[] = [];
  for (const each of metrics) {
    const { name = '' } = each;
    const isOwn = device === '' && (name === 'bdSeq' || name.startsWith('Node Control/'));
    if (isOwn || found.length >= maxPoints) continue;
    const parts: Found[] = [];
    addParts(parts, name, each);
    found.push(...(metric === undefined ? parts : parts.filter(({ path }) => path === metric).flatMap(propertyParts)));
  }
  return found.flatMap((part) => {
    const address = `${place}#${part.path}`;
    if (parseMetricAddress(address).fault !== undefined) return [];
    const hasMore = metric === undefined && propertyParts(part).length > 0;
    return [
      {
        title: address,
        path: hasMore ? address : undefined,
        measurement: pointOf(`${device || node}/${part.path}`, address, part),
        command: undefined,
      },
    ];
  });
}

interface Found {
  readonly path: string;
  readonly datatype: Datatype;
  readonly properties: Properties | undefined;
}

function addParts(found: Found[], path: string, { type = 0, value, properties }: Metric): void {
  const add = (at: string, datatype: Datatype | undefined, own: Properties | undefined) => {
    if (datatype !== undefined && found.length < maxParts) found.push({ path: at, datatype, properties: own });
  };
  add(path, datatypeOfType(type), properties);
  if (isTemplate(value) && !value.isDefinition) {
    for (const member of value.members) {
      if (found.length >= maxParts) return;
      if (member.name) addParts(found, `${path}/${member.name}`, member);
    }
    for (const [key, parameter] of value.parameters ?? []) {
      add(`${path}@${key}`, datatypeOfType(parameter.type ?? 0), undefined);
    }
  } else if (isDataSet(value)) {
    for (let row = 0; row < value.rows.length && found.length < maxParts; row++) {
      for (const [at, column] of value.columns.entries()) {
        if (column !== '') add(`${path}[${row}]/${column}`, datatypeOfType(value.types[at] ?? 0), properties);
      }
    }
  } else if (value instanceof Uint8Array) {
    const count = Math.min(maxParts, elementCount(value, type));
    const datatype = datatypeOfType(elementType(type) ?? 0);
    for (let at = 0; at < count; at++) add(`${path}[${at}]`, datatype, properties);
  }
}

/** Those of a metric; quality comes with its value. */
function propertyParts({ path, properties }: Found): Found[] {
  if (path.includes('[')) return [];
  const parts: Found[] = [];
  const walk = (own: Properties, at: string) => {
    for (const [key, { type = 0, value }] of own) {
      if (parts.length >= maxParts || key === propertyName.quality) continue;
      if (value instanceof Map) walk(value, `${at}${key}/`);
      const datatype = datatypeOfType(type);
      if (datatype !== undefined) parts.push({ path: `${path}@${at}${key}`, datatype, properties: undefined });
    }
  };
  if (properties !== undefined) walk(properties, '');
  return parts;
}

function pointOf(name: string, address: string, { datatype, properties }: Found): BrowsedPoint {
  const textOf = (key: string) => {
    const value = properties?.get(key)?.value;
    return typeof value === 'string' ? value : undefined;
  };
  const numberOf = (key: string) => {
    const value = properties?.get(key)?.value;
    return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
  };
  const eu = textOf(propertyName.unit);
  const description = textOf(propertyName.description) ?? textOf('documentation') ?? textOf('Documentation');
  const [low, high] = [numberOf(propertyName.low), numberOf(propertyName.high)];
  return {
    name,
    address,
    datatype,
    ...(eu !== undefined && { eu }),
    ...(description !== undefined && { description }),
    ...(low !== undefined && high !== undefined && { euRange: [low, high] as const }),
  };
}
