// Which metric a served point is: its address is `metric` or `device#metric`, the device else that of its property. Pure.
import { propertyOf, type StackPoint } from '@telltale/stack-kit';
import { topicFault } from '../topic.ts';

export interface ServedMetric {
  /** Empty: the edge node itself. */
  readonly device: string;
  readonly metric: string;
}

type PointLike = Pick<StackPoint, 'address'> & Parameters<typeof propertyOf>[0];

/** Two devices have metrics of the same name, but two points of a provider never the same address: therefore the first form. */
export function servedMetric(point: PointLike): ServedMetric {
  const { address } = point;
  const at = address.indexOf('#');
  if (at >= 0) return { device: address.slice(0, at), metric: address.slice(at + 1) };
  return { device: propertyOf(point, 'device') ?? '', metric: address };
}

/** What is wrong with the address, or with the property. */
export function servedFault(point: PointLike): string | undefined {
  const { device, metric } = servedMetric(point);
  const given = point.address.includes('#') ? device : propertyOf(point, 'device');
  if (given !== undefined && (given === '' || given.includes('/') || topicFault(given) !== undefined)) {
    return `the device is ${JSON.stringify(given)}: a name without /, + and # is expected`;
  }
  return topicFault(metric);
}
