// The addresses of the exporter: the name of a metric, with labels or without, as the exposition formats write them.
import { form, traitsOf } from '@telltale/schema';
import { type Point, propertyOf } from '@telltale/stack-kit';

export interface MetricAddress {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

export const metricTypes = ['gauge', 'counter'] as const;
export type MetricType = (typeof metricTypes)[number] | 'info';

export const metricRegex =
  '^[a-zA-Z_:][a-zA-Z0-9_:]{0,199}(?:\\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"(?:,(?=[a-zA-Z_])|(?=\\})))*\\})?$';

const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/g;

/** Of an address that matches the regex; or what is wrong. */
export function parseMetric(text: string): MetricAddress | string {
  const open = text.indexOf('{');
  const labels = new Map<string, string>();
  if (open >= 0) {
    for (const [, name = '', escaped = ''] of text.slice(open).matchAll(labelPattern)) {
      if (name.startsWith('__')) return `the label ${name} begins with __, which is for Prometheus itself`;
      if (labels.has(name)) return `the label ${name} occurs twice`;
      labels.set(
        name,
        escaped.replace(/\\(.)/g, (_, mark) => (mark === 'n' ? '\n' : mark)),
      );
    }
  }
  return { name: open < 0 ? text : text.slice(0, open), labels };
}

/** Of a point: texts are info metrics, numbers what the property `metricType` says. */
export function metricTypeOf(point: Point): MetricType {
  if (traitsOf(point.datatype).form === form.text) return 'info';
  return propertyOf(point, 'metricType') === 'counter' ? 'counter' : 'gauge';
}

export function checkMetric(address: string, point: Point): string | undefined {
  const parsed = parseMetric(address);
  if (typeof parsed === 'string') return parsed;
  const { datatype } = point;
  const type = propertyOf(point, 'metricType');
  if (type !== undefined && !metricTypes.some((known) => known === type)) {
    return `the property metricType is ${JSON.stringify(type)}: gauge or counter is expected`;
  }
  if (traitsOf(datatype).form === form.text) {
    if (type !== undefined) return 'a text is an info metric: it has no property metricType';
    if (parsed.labels.has('value'))
      return 'the label value holds the text of this point: choose another name for the label';
    return undefined;
  }
  const isCounter = metricTypeOf(point) === 'counter';
  if (isCounter && traitsOf(datatype).isBoolean) return 'a boolean cannot be a counter';
  if (isCounter !== parsed.name.endsWith('_total')) {
    return isCounter
      ? `a counter has a name that ends with _total, as ${parsed.name}_total`
      : `${parsed.name} ends with _total, which only a counter does: give it the property metricType=counter`;
  }
  if (parsed.name.endsWith('_info')) return `${parsed.name} ends with _info, which only a text does`;
  return undefined;
}
