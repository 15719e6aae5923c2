// Circles among things each of which follows one other at most. Pure.

/** The members of each circle; what only leads into one is not among them. */
export function circlesIn(next: ReadonlyMap<string, string>): string[][] {
  const circles: string[][] = [];
  const seen = new Set<string>();
  for (const start of next.keys()) {
    const path: string[] = [];
    let at: string | undefined = start;
    for (; at !== undefined && !seen.has(at); at = next.get(at)) {
      seen.add(at);
      path.push(at);
    }
    const from = at === undefined ? -1 : path.indexOf(at);
    if (from >= 0) circles.push(path.slice(from));
  }
  return circles;
}
