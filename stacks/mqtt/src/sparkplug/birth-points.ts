// What the birth of an edge node or device offers, as points. Pure.
import type { Datatype } from '@telltale/schema';
import type { BrowsedPoint } from '@telltale/stack-kit';
import { namespace, parseMetricAddress } from './metric-address.ts';
import { decodePayload, metricType } from './payload.ts';

const datatypes: Readonly<Record<number, Datatype>> = {
  [metricType.int8]: 'i',
  [metricType.int16]: 'i',
  [metricType.int32]: 'i',
  [metricType.uint8]: 'i',
  [metricType.uint16]: 'i',
  [metricType.uint32]: 'l',
  [metricType.int64]: 'l',
  [metricType.uint64]: 'l',
  [metricType.dateTime]: 'l',
  [metricType.float]: 'f',
  [metricType.double]: 'd',
  [metricType.boolean]: 'b',
  [metricType.string]: 's',
  [metricType.text]: 's',
  [metricType.uuid]: 's',
};

export interface SparkplugTopic {
  readonly group: string;
  readonly kind: string;
  readonly node: string;
  readonly device: string;
}

/** Undefined where it is none. */
export function parseSparkplugTopic(topic: string): SparkplugTopic | undefined {
  if (!topic.startsWith(namespace)) return undefined;
  const [, group, kind, node, device = '', ...more] = topic.split('/');
  return group && kind && node && more.length === 0 ? { group, kind, node, device } : undefined;
}

export function isBirth({ kind }: SparkplugTopic): boolean {
  return kind === 'NBIRTH' || kind === 'DBIRTH';
}

/** Nothing where the bytes are no birth. */
export function birthPoints({ group, node, device }: SparkplugTopic, bytes: Uint8Array): BrowsedPoint[] {
  const place = `${namespace}${group}/${node}${device && `/${device}`}`;
  try {
    return decodePayload(bytes).metrics.flatMap(({ name = '', type = 0 }): BrowsedPoint[] => {
      const datatype = datatypes[type];
      const address = `${place}#${name}`;
      const isOwn = name === 'bdSeq' || name.startsWith('Node Control/');
      if (datatype === undefined || isOwn || parseMetricAddress(address).fault !== undefined) return [];
      return [{ name: `${device || node}/${name}`, address, datatype }];
    });
  } catch {
    return [];
  }
}
