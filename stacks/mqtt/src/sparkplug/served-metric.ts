// Which metric a served point is: its address is `metric` or `device#metric`, the device else that of its property. With
// the property `template`, it is a member of a template instance: `instance/member`. With the property `part`, it is an element of
// an array, `array[2]`, or a cell of a data set, `data set[0]/column`. Pure.
import { propertyOf, type StackPoint } from '@telltale/stack-kit';
import { topicFault } from '../topic.ts';

export interface ServedMetric {
  /** Empty: the edge node itself. */
  readonly device: string;
  /** The name of the metric; of a member or part, that of the instance, array or data set. */
  readonly metric: string;
  /** The name of the definition. */
  readonly template?: string;
  /** Which member of the definition it is, or which part: `[2]`, `[0]/column`. */
  readonly member?: string;
  /** Of an element, its position is the row. */
  readonly cell?: { readonly row: number; readonly column?: string };
}

const partForms = {
  element: { form: /^(.+)\[(0|[1-9][0-9]{0,5})\]$/su, example: 'Currents[2]' },
  cell: { form: /^(.+)\[(0|[1-9][0-9]{0,5})\]\/(.+)$/su, example: 'Recipe[0]/Water' },
} as const;

function isPart(part: string): part is keyof typeof partForms {
  return Object.hasOwn(partForms, part);
}

type PointLike = Pick<StackPoint, 'address'> & Parameters<typeof propertyOf>[0];

/** Two devices have metrics of the same name, but two points of a provider never the same address: therefore the first form. */
export function servedMetric(point: PointLike): ServedMetric {
  const { address } = point;
  const at = address.indexOf('#');
  const device = at < 0 ? (propertyOf(point, 'device') ?? '') : address.slice(0, at);
  const metric = address.slice(at + 1);
  const template = propertyOf(point, 'template');
  if (template === undefined) return { device, ...(partOf(metric, propertyOf(point, 'part')) ?? { metric }) };
  const last = metric.lastIndexOf('/');
  const member = propertyOf(point, 'member') ?? metric.slice(last + 1);
  return { device, metric: metric.slice(0, -member.length - 1), template, member };
}

function partOf(path: string, part = ''): Omit<ServedMetric, 'device'> | undefined {
  const found = isPart(part) ? partForms[part].form.exec(path) : null;
  if (found === null) return undefined;
  const [, metric = '', row, column] = found;
  const cell = { row: Number(row), ...(column !== undefined && { column }) };
  return { metric, member: path.slice(metric.length), cell };
}

/** What is wrong with the address, or with the properties. */
export function servedFault(point: PointLike): string | undefined {
  const { device, metric, template, member = '', cell } = servedMetric(point);
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
  const part = propertyOf(point, 'part');
  if (part !== undefined) {
    if (!isPart(part)) return `the property part is ${JSON.stringify(part)}: element or cell is expected`;
    if (template !== undefined) return 'a point has the property template or part, not both';
    if (cell === undefined) return `with the property part ${part}, the address is such as ${partForms[part].example}`;
  }
  return topicFault(cell === undefined ? metric : `${metric}${member}`);
}
