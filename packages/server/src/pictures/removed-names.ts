// What an SVG had and has no more when it is made harmless: the names of its elements and attributes. What only editors read, and
// styles, which become attributes, are not counted.
import type { RemovedName } from '@telltale/schema';
import { parseXml, type XmlName } from './xml-parser.ts';

export const mostRemovedNames = 1000;
const mostNameLength = 80;

const drawn = new Set(['', 'http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xhtml']);
const said = new Set(['', 'http://www.w3.org/1999/xlink']);
const becomeAttributes = new Set(['style', 'style=', 'class=']);

/** Of two documents that are well-formed; elements as `script`, attributes as `onload=`; in the order of the first document. */
export function removedNames(before: string, after: string): RemovedName[] {
  const left = countsOf(after);
  const removed: RemovedName[] = [];
  for (const [name, count] of countsOf(before)) {
    const gone = count - (left.get(name) ?? 0);
    if (gone <= 0 || becomeAttributes.has(name)) continue;
    removed.push({ name: name.length > mostNameLength ? `${name.slice(0, mostNameLength)}…` : name, count: gone });
    if (removed.length === mostRemovedNames) break;
  }
  return removed;
}

function countsOf(document: string): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  parseXml(document, {
    open({ namespace, local }: XmlName, attributes) {
      if (!drawn.has(namespace)) return;
      count(local);
      for (const each of attributes) if (said.has(each.namespace)) count(`${each.local}=`);
    },
    close: () => undefined,
    text: () => undefined,
  });
  return counts;
}
