// The metric of a command: by alias alone where the birth gave one, without its type, which the birth has too. Pure.
import { type Datatype, fitValue, type Value } from '@telltale/schema';
import type { UntypedMetric } from './encode-payload.ts';
import { isTemplate, type Metric, metricsByName, metricType, typeOfDatatype } from './metric.ts';
import { locatePart } from './metric-part.ts';
import { fitType } from './metric-type.ts';

export type CommandMetric = { metric: UntypedMetric; fault?: never } | { metric?: never; fault: string };

/** `path` is what the address has behind the device; of `metrics`, those of the birth. */
export function commandMetric(
  metrics: ReadonlyMap<string, Metric>,
  path: string,
  value: Value,
  datatype: Datatype,
  timestampMs: number,
): CommandMetric {
  const located = locatePart(metrics, path);
  const born = located && metrics.get(located.root);
  if (located === undefined || born === undefined) return { fault: `has no metric ${path}` };
  const { rest } = located;
  const own = { ...(born.alias === undefined ? { name: born.name } : { alias: born.alias }), timestampMs };
  if (rest === '') {
    // As it was born: what an edge node makes of another type is anybody's guess.
    const bornType = born.type ?? typeOfDatatype(datatype);
    const fitted = fitType(bornType, value);
    if (fitted === undefined) return { fault: `has ${path} of type ${bornType}, which the value does not fit` };
    // Libraries differ in the form of UInt32: the birth shows which one this is.
    const isShort = bornType === metricType.uint32 && typeof born.value !== 'bigint';
    return { metric: { ...own, bornType, value: isShort ? fitValue('d', fitted) : fitted } };
  }
  if (!isTemplate(born.value) || !rest.startsWith('/')) {
    return { fault: `has ${path}, which cannot be written: only metrics and members of templates can` };
  }
  const { ref, members } = born.value;
  const inner = commandMetric(metricsByName(members), rest.slice(1), value, datatype, timestampMs);
  if (inner.metric === undefined) return inner;
  return { metric: { ...own, value: { kind: 'template', isDefinition: false, ref, members: [inner.metric] } } };
}
