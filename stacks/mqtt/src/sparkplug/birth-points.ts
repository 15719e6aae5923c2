// What the birth of an edge node or device offers, as points. Pure.
import type { BrowsedPoint } from '@telltale/stack-kit';
import { decodePayload } from './decode-payload.ts';
import { propertyName } from './metric.ts';
import { namespace, parseMetricAddress } from './metric-address.ts';
import { datatypeOfType } from './metric-type.ts';

export interface SparkplugTopic {
  readonly group: string;
  readonly kind: string;
  readonly node: string;
  readonly device: string;
}

/** Undefined if it is invalid. */
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
    return decodePayload(bytes).metrics.flatMap(({ name = '', type = 0, properties }): BrowsedPoint[] => {
      const unit = properties?.get(propertyName.unit)?.value;
      const datatype = datatypeOfType(type);
      const address = `${place}#${name}`;
      const isOwn = name === 'bdSeq' || name.startsWith('Node Control/');
      if (datatype === undefined || isOwn || parseMetricAddress(address).fault !== undefined) return [];
      return [{ name: `${device || node}/${name}`, address, datatype, ...(typeof unit === 'string' && { eu: unit }) }];
    });
  } catch {
    return [];
  }
}
