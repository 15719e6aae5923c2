// The part of a metric that an address names behind its metric: `Motor/Speed` a member of a template instance, `Profile[3]` an
// element, `Recipe[0]/Water` a cell of a data set, `Flow@engUnit` a property, or a parameter of an instance. Pure.
import type { Value } from '@telltale/schema';
import { elementAt, elementType } from './array-value.ts';
import {
  isDataSet,
  isTemplate,
  type Metric,
  type MetricValue,
  metricsByName,
  type Properties,
  qualityOf,
  scalarOf,
  type Template,
} from './metric.ts';

export interface Located {
  /** The name of the metric. */
  readonly root: string;
  /** What follows: empty for the metric itself. */
  readonly rest: string;
}

export interface Part {
  /** Undefined: it is null. */
  readonly value: Value | undefined;
  readonly type: number | undefined;
  /** Its own, or that of what it is a part of. */
  readonly timestampMs: number | undefined;
  readonly quality: number | undefined;
  /** It was so at its time, and is not news. */
  readonly isHistorical: boolean;
}

/** A metric of that very name comes first; else the longest one that has such a part. Undefined: there is none. */
export function locatePart(metrics: ReadonlyMap<string, Metric>, path: string): Located | undefined {
  if (metrics.has(path)) return { root: path, rest: '' };
  for (let at = path.length - 1; at > 0; at--) {
    if (!'/[@'.includes(path[at] as string)) continue;
    const root = path.slice(0, at);
    const metric = metrics.get(root);
    if (metric !== undefined && hasPart(metric, path.slice(at))) return { root, rest: path.slice(at) };
  }
  return undefined;
}

/**
 * Undefined: the message does not say, and it is as it was. Where the metric is there without such an element or cell, the
 * value is null. `bornType`: of the metric, if the message leaves it out.
 */
export function readPart(metric: Metric, rest: string, bornType: number | undefined): Part | undefined {
  const { value, timestampMs, type = bornType, isHistorical = false } = metric;
  const quality = qualityOf(metric);
  if (rest === '') return { value: scalarOf(value), type, timestampMs, quality, isHistorical };
  const around = { timestampMs, quality, isHistorical };
  if (rest.startsWith('@')) {
    const property = propertyAt(metric, rest.slice(1));
    if (property === undefined || typeof property.value === 'object') return undefined;
    return { value: property.value, type: property.type, timestampMs, quality: undefined, isHistorical };
  }
  if (rest.startsWith('[')) {
    const { position, column } = parseIndex(rest);
    if (position === undefined) return undefined;
    if (value instanceof Uint8Array && type !== undefined) {
      return { value: elementAt(value, type, position), type: elementType(type), ...around };
    }
    if (!isDataSet(value)) return { value: undefined, type: undefined, ...around };
    const at = value.columns.indexOf(column ?? '');
    return { value: value.rows[position]?.[at], type: value.types[at], ...around };
  }
  if (metric.isNull) return { value: undefined, type: undefined, ...around };
  if (!isTemplate(value)) return undefined;
  const members = membersOf(value);
  const located = locatePart(members, rest.slice(1));
  const member = located && members.get(located.root);
  const part = member && readPart(member, located.rest, member.type);
  if (part === undefined) return undefined;
  return {
    ...part,
    timestampMs: part.timestampMs ?? timestampMs,
    quality: part.quality ?? quality,
    isHistorical: part.isHistorical || isHistorical,
  };
}

function hasPart(metric: Metric, rest: string): boolean {
  const { value, type = 0 } = metric;
  if (rest.startsWith('@')) return propertyAt(metric, rest.slice(1)) !== undefined;
  if (rest.startsWith('[')) {
    const { position, column } = parseIndex(rest);
    if (position === undefined) return false;
    return column === undefined ? elementType(type) !== undefined : isDataSet(value) && value.columns.includes(column);
  }
  return isTemplate(value) && locatePart(membersOf(value), rest.slice(1)) !== undefined;
}

function membersOf({ members, byName = metricsByName(members) }: Template): ReadonlyMap<string, Metric> {
  return byName;
}

/** `[3]` or `[3]/column`. */
function parseIndex(rest: string): { position?: number; column?: string } {
  const [, position, column] = /^\[([0-9]{1,6})\](?:\/(.+))?$/su.exec(rest) ?? [];
  if (position === undefined) return {};
  return { position: Number(position), ...(column !== undefined && { column }) };
}

function propertyAt({ properties, value }: Metric, key: string) {
  return propertyIn(properties, key) ?? (isTemplate(value) ? propertyIn(value.parameters, key) : undefined);
}

/** `limits/high` is the property high of the property set limits, unless there is one of that very name. */
function propertyIn(properties: Properties | undefined, key: string): ReturnType<Properties['get']> {
  const own = properties?.get(key);
  if (own !== undefined || properties === undefined) return own;
  for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
    const inner = properties.get(key.slice(0, at))?.value;
    const found = inner instanceof Map ? propertyIn(inner, key.slice(at + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of a whole value, for people. */
export function describeValue(value: MetricValue | undefined): string {
  if (value === undefined) return 'null';
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (isTemplate(value)) return `an instance of template ${value.ref ?? 'without a name'}`;
  if (isDataSet(value)) return `a data set of ${value.rows.length} rows`;
  return String(value).slice(0, 1024);
}
