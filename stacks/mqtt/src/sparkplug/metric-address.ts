// The address of a metric: `spBv1.0/group/node/device#metric`, without the device where the edge node has it. Pure.
import { topicFault } from '../topic.ts';

export interface MetricAddress {
  readonly group: string;
  readonly node: string;
  /** Empty: the edge node itself. */
  readonly device: string;
  readonly metric: string;
}

export type ParsedMetric = { address: MetricAddress; fault?: never } | { address?: never; fault: string };

export const namespace = 'spBv1.0/';

/** Topics of that name space carry nothing but Sparkplug. */
export function isMetricAddress(text: string): boolean {
  return text.startsWith(namespace);
}

export function parseMetricAddress(text: string): ParsedMetric {
  const at = text.indexOf('#');
  const place = at < 0 ? text : text.slice(0, at);
  const metric = at < 0 ? '' : text.slice(at + 1);
  const [, group, node, device = '', ...more] = place.split('/');
  const wrong = topicFault(place);
  if (wrong !== undefined) return { fault: wrong };
  if (!group || !node || more.length > 0 || metric === '' || (place.endsWith('/') && device === '')) {
    return { fault: 'a Sparkplug metric is spBv1.0/group/node#metric or spBv1.0/group/node/device#metric' };
  }
  return { address: { group, node, device, metric } };
}
