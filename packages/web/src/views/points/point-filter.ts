// Which points are shown: by words, area, connector, datatype and kind, which the list has, and by quality and force, which
// are watched at the service. All of it is in the address.
import type { PointList, TextColumn } from '../../data/point-list.ts';

export interface PointFilter {
  readonly text: string;
  /** A path, with everything below it. */
  readonly area: string;
  readonly connector: string;
  readonly datatype: string;
  readonly kind: string;
  readonly quality: string;
  readonly forced: string;
}

export const filterFields = ['text', 'area', 'connector', 'datatype', 'kind', 'quality', 'forced'] as const;

/** Names of measurements; undefined where it does not matter. */
export interface LiveNames {
  readonly bad: ReadonlySet<string> | undefined;
  readonly uncertain: ReadonlySet<string> | undefined;
  readonly simulated: ReadonlySet<string> | undefined;
}

/** Those of `order` that pass, in their order. */
export function filtered(list: PointList, order: Uint32Array, filter: PointFilter, live: LiveNames): Uint32Array {
  const tests = testsOf(list, filter, live);
  if (tests.length === 0) return order;
  const found = new Uint32Array(order.length);
  let count = 0;
  next: for (const id of order) {
    for (const test of tests) if (!test(id)) continue next;
    found[count++] = id;
  }
  return found.slice(0, count);
}

type Test = (id: number) => boolean;

/** The cheapest come first. */
function testsOf(list: PointList, filter: PointFilter, live: LiveNames): Test[] {
  const { text, area, connector, datatype, kind, quality, forced } = filter;
  const tests: Test[] = [];
  if (kind !== '') tests.push((id) => list.kindAt(id) === kind);
  if (connector !== '') tests.push(ofColumn(list.connector, (each) => each === connector));
  if (datatype !== '') tests.push(ofColumn(list.datatype, (each) => each === datatype));
  if (area !== '') tests.push(ofColumn(list.area, (each) => each === area || each.startsWith(`${area}.`)));
  for (const word of text.toLowerCase().split(/\s+/)) {
    if (word === '') continue;
    const having = list.having(word);
    tests.push((id) => having[id] === 1);
  }
  if (forced !== '') tests.push(ofNames(list, live.simulated, forced === 'yes'));
  if (quality === 'bad') tests.push(ofNames(list, live.bad, true));
  if (quality === 'uncertain') tests.push(ofNames(list, live.uncertain, true));
  if (quality === 'good') tests.push(ofNames(list, live.bad, false), ofNames(list, live.uncertain, false));
  return tests;
}

function ofColumn(column: TextColumn, fits: (text: string) => boolean): Test {
  const passes = column.texts.map(fits);
  return (id) => passes[column.numberAt(id)] === true;
}

/** Commands have no quality, and are not forced. */
function ofNames(list: PointList, names: ReadonlySet<string> | undefined, isIn: boolean): Test {
  return (id) => id < list.measurements && (names?.has(list.nameAt(id)) ?? false) === isIn;
}
