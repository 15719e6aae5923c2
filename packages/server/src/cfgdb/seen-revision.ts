// The changes of a revision, for somebody who does not see everything: an object that came into sight was added, one that left
// it was removed.
import type { Change } from '@telltale/schema';
import type { Content } from './content.ts';
import { comparison } from './go-back.ts';
import type { Rename } from './renamed-references.ts';
import { keyOf } from './renames.ts';

/** `before` and `after` have what is seen. Without the revision before, what was there to be seen is not known. */
export function seenRevisionChanges(stored: readonly Change[], before: Content | undefined, after: Content): Change[] {
  if (before === undefined) {
    return stored
      .filter(({ family, name }) => after[family].has(name))
      .map(({ family, name, change, time, author }) => ({ family, name, change, time, author }));
  }
  const known = new Map(stored.map((change) => [keyOf(change.family, change.name), change]));
  const renames = stored.flatMap(({ family, name: to, renamedFrom: from }) =>
    from === undefined ? [] : [{ family, from, to } as Rename],
  );
  return Array.from(comparison(before, after, renames), ({ fields, ...what }) => {
    const { time, author } = known.get(keyOf(what.family, what.name)) as Change;
    return { ...what, time, author, ...(fields && { fields }) };
  });
}
