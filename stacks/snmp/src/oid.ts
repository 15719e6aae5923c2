// Object identifiers: dotted texts of numbers, without a dot before the first. Their order is that of their numbers.

/** As RFC 2578 has it. */
export const maxArcs = 128;

/** Numbers of up to 32 bits, at least two of them; the first is 0, 1 or 2, and below 2 the second is below 40. */
export function isOid(text: string): boolean {
  if (!/^[0-2](?:\.(?:0|[1-9][0-9]{0,9})){1,127}$/.test(text)) return false;
  const arcs = arcsOf(text);
  return arcs.every((arc) => arc < 2 ** 32) && (arcs[0] === 2 || (arcs[1] ?? 0) < 40);
}

export function arcsOf(oid: string): number[] {
  return oid.split('.').map(Number);
}

/** Below 0 where `a` comes before `b`. What is within comes after what it is within. */
export function compareArcs(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function compareOids(a: string, b: string): number {
  return a === b ? 0 : compareArcs(arcsOf(a), arcsOf(b));
}

export function isWithin(oid: string, base: string): boolean {
  return oid === base || oid.startsWith(`${base}.`);
}

/** What stands before the last number: the column that an instance of a simple table is in. */
export function parentOf(oid: string): string {
  return oid.slice(0, Math.max(0, oid.lastIndexOf('.')));
}
