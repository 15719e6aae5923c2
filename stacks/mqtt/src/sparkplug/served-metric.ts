// Which metric a served point is: its address is `metric` or `device#metric`, the device else that of its property. With
// the property `template`, it is a member of a template instance: `instance/member`. Pure.
import { propertyOf, type StackPoint } from '@telltale/stack-kit';
import { topicFault } from '../topic.ts';

export interface ServedMetric {
  /** Empty: the edge node itself. */
  readonly device: string;
  /** The name of the metric; of a member, that of the instance. */
  readonly metric: string;
  /** The name of the definition, and which of its members it is. */
  readonly template?: string;
  readonly member?: string;
}

type PointLike = Pick<StackPoint, 'address'> & Parameters<typeof propertyOf>[0];

/** Two devices have metrics of the same name, but two points of a provider never the same address: therefore the first form. */
export function servedMetric(point: PointLike): ServedMetric {
  const { address } = point;
  const at = address.indexOf('#');
  const device = at < 0 ? (propertyOf(point, 'device') ?? '') : address.slice(0, at);
  const metric = address.slice(at + 1);
  const template = propertyOf(point, 'template');
  if (template === undefined) return { device, metric };
  const last = metric.lastIndexOf('/');
  const member = propertyOf(point, 'member') ?? metric.slice(last + 1);
  return { device, metric: metric.slice(0, -member.length - 1), template, member };
}

/** What is wrong with the address, or with the properties. */
export function servedFault(point: PointLike): string | undefined {
  const { device, metric, template, member = '' } = servedMetric(point);
  const given = point.address.includes('#') ? device : propertyOf(point, 'device');
  if (given !== undefined && (given === '' || given.includes('/') || topicFault(given) !== undefined)) {
    return `the device is ${JSON.stringify(given)}: a name without /, + and # is expected`;
  }
  if (template !== undefined) {
    if (template === '') return 'the property template is empty: the name of a template is expected';
    if (metric === '' || member === '' || !point.address.endsWith(`${metric}/${member}`)) {
      return 'with the property template, the address is instance/member, such as Pump 1/Speed';
    }
  }
  return topicFault(metric);
}
