// Which metric a served point is: its address is `metric` or `device#metric`, the device else that of its property. Pure.
import { topicFault } from '../topic.ts';

export interface ServedMetric {
  /** Empty: the edge node itself. */
  readonly device: string;
  readonly metric: string;
}

interface PointLike {
  readonly address: string;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** Two devices have metrics of the same name, but two points of a provider never the same address: hence the first form. */
export function servedMetric({ address, properties = {} }: PointLike): ServedMetric {
  const at = address.indexOf('#');
  if (at >= 0) return { device: address.slice(0, at), metric: address.slice(at + 1) };
  return { device: (Object.hasOwn(properties, 'device') && properties.device) || '', metric: address };
}

/** What is wrong with the address, or with the property. */
export function servedFault(point: PointLike): string | undefined {
  const { device, metric } = servedMetric(point);
  const { properties = {}, address } = point;
  const given = address.includes('#') ? device : Object.hasOwn(properties, 'device') ? properties.device : undefined;
  if (given !== undefined && (given === '' || given.includes('/') || topicFault(given) !== undefined)) {
    return `the device is ${JSON.stringify(given)}: a name without /, + and # is expected`;
  }
  return topicFault(metric);
}
