// Beside the titles of what is not followed while there is no link.
import { isStale } from '../../data/staleness.ts';
import { Mark } from '../../parts/quality-mark.tsx';
import { words } from '../../words/words.ts';

export function StaleMark() {
  const { values } = words.value;
  return isStale.value ? <Mark kind="stale" text={values.stale} why={values.staleWhy} /> : null;
}
