// Finds the name that was probably meant.

/**
 * The nearest by insertions, removals, replacements and swaps of characters; else the only one that begins so; undefined where
 * none is near.
 */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  return nearestByEdits(text, all) ?? onlyBeginning(text.toLowerCase(), all);
}

const leastBeginning = 3;

function onlyBeginning(text: string, names: readonly string[]): string | undefined {
  if (text.length < leastBeginning) return undefined;
  const [only, ...others] = names.filter((name) => name.toLowerCase().startsWith(text));
  return others.length === 0 ? only : undefined;
}

function nearestByEdits(text: string, names: readonly string[]): string | undefined {
  const reach = Math.max(1, Math.min(4, Math.floor(text.length / 3)));
  let nearest: string | undefined;
  let least = reach + 1;
  for (const name of names) {
    if (Math.abs(name.length - text.length) >= least) continue;
    const distance = editDistance(text.toLowerCase(), name.toLowerCase());
    if (distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

/** ` Did you mean x?`, or nothing. */
export function didYouMean(text: string, names: Iterable<string>): string {
  const nearest = nearestName(text, names);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let above = 0; above < from.length; above++) {
    const next = [above + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === from[above] ? 0 : 1);
      const isSwapped = from[above] === to[column - 2] && from[above - 1] === to[column - 1] && column > 1 && above > 0;
      const swapped = isSwapped ? (before[column - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}

/** What other systems call a field. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['unit', 'eu'],
  ['units', 'eu'],
  ['type', 'datatype'],
]);

export function meantField(given: string, known: readonly string[]): string | undefined {
  const other = otherWords.get(given.toLowerCase());
  return other !== undefined && known.includes(other) ? other : nearestName(given, known);
}
