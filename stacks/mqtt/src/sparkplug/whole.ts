// Metrics that several points make together: arrays of their elements, data sets of their cells. Pure.
import type { Value } from '@telltale/schema';
import type { ServedPoint } from '@telltale/stack-kit';
import { arrayBytes, arrayType } from './array-value.ts';
import { type MetricValue, metricType, typeOfDatatype } from './metric.ts';
import { type ServedMetric, servedMetric } from './served-metric.ts';

export interface Whole {
  readonly type: number;
  /** Its parts, in the order of their values. */
  readonly members: readonly string[];
  /** Of the values of all parts, or undefined: some have none. It is null where the result is undefined. */
  readonly value: (values: readonly Value[] | undefined) => MetricValue | undefined;
}

export interface Wholes {
  /** By the name of the device, a slash and the name of the metric. */
  readonly wholes: ReadonlyMap<string, Whole>;
  /** What is wrong with others, by the same. */
  readonly faults: ReadonlyMap<string, string>;
}

interface Part {
  readonly served: ServedPoint;
  readonly member: string;
  readonly cell: NonNullable<ServedMetric['cell']>;
}

const maxElements = 1000;
const maxCells = 10_000;

/** All points of each are served, or none: without one of its parts, it would say something else. */
export function gatherWholes(all: readonly ServedPoint[]): Wholes {
  const parts = new Map<string, Part[]>();
  for (const served of all) {
    const { device, metric, member = '', cell } = servedMetric(served.point);
    if (cell === undefined) continue;
    const key = `${device}/${metric}`;
    const known = parts.get(key);
    if (known === undefined) parts.set(key, [{ served, member, cell }]);
    else known.push({ served, member, cell });
  }
  const wholes = new Map<string, Whole>();
  const faults = new Map<string, string>();
  for (const [key, each] of parts) {
    const whole = wholeOf(each);
    if (typeof whole === 'string') faults.set(key, whole);
    else wholes.set(key, whole);
  }
  return { wholes, faults };
}

/** Or what is wrong with it. */
function wholeOf(parts: readonly Part[]): Whole | string {
  const command = parts.find(({ served }) => served.isCommand);
  if (command !== undefined) {
    return `${command.served.point.name} is a command, and commands cannot be elements or cells: serve it as a metric of its own`;
  }
  const cells = parts.filter(({ cell }) => cell.column !== undefined);
  if (cells.length > 0 && cells.length < parts.length) {
    return 'some of its points are elements of an array, others cells of a data set';
  }
  const byMember = new Map(parts.map((part) => [part.member, part]));
  if (byMember.size < parts.length) return 'two of its points are the same element or cell';
  return cells.length > 0 ? dataSetOf(byMember) : arrayOf(byMember);
}

function arrayOf(parts: ReadonlyMap<string, Part>): Whole | string {
  if (parts.size > maxElements) return `it has ${parts.size} elements: an array has at most ${maxElements}`;
  const [datatype = 'd', ...others] = new Set(Array.from(parts.values(), ({ served }) => served.point.datatype));
  if (others.length > 0) return `its elements have the datatypes ${[datatype, ...others].join(', ')}: one is expected`;
  const members = Array.from({ length: parts.size }, (_, at) => `[${at}]`);
  const missing = members.find((member) => !parts.has(member));
  if (missing !== undefined) return `no point is its element ${missing}: they are counted from 0 without gaps`;
  const type = arrayType(typeOfDatatype(datatype)) as number;
  return { type, members, value: (values) => values && arrayBytes(type, values) };
}

function dataSetOf(parts: ReadonlyMap<string, Part>): Whole | string {
  if (parts.size > maxCells) return `it has ${parts.size} cells: a data set has at most ${maxCells}`;
  const types = new Map<string, number>();
  let rowCount = 0;
  for (const { served, cell } of parts.values()) {
    const { row, column = '' } = cell;
    const type = typeOfDatatype(served.point.datatype);
    if ((types.get(column) ?? type) !== type) return `the cells of its column ${column} have several datatypes`;
    types.set(column, type);
    rowCount = Math.max(rowCount, row + 1);
  }
  const columns = [...types.keys()];
  const members: string[] = [];
  for (let row = 0; row < rowCount; row++) {
    for (const column of columns) {
      const member = `[${row}]/${column}`;
      if (!parts.has(member)) return `no point is its cell ${member}: each row, from 0 on, has all columns`;
      members.push(member);
    }
  }
  // Births say its columns, which null cannot: without values, it has no rows.
  const value = (values: readonly Value[] = []): MetricValue => ({
    kind: 'dataSet',
    columns,
    types: [...types.values()],
    rows: Array.from({ length: values.length / columns.length }, (_, row) =>
      values.slice(row * columns.length, (row + 1) * columns.length),
    ),
  });
  return { type: metricType.dataSet, members, value };
}
