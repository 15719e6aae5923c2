// The marks of a value that may be wrong: bad, uncertain, forced, stale. They are part of every value that the page shows.
import { isBad, isUncertain, quality } from '@telltale/schema/values';
import { isStale } from '../data/staleness.ts';
import { words } from '../words/words.ts';
import { qualityText } from './quality-words.ts';

export interface QualityMarkProps {
  /** Undefined of commands, which have none. */
  readonly quality: number | undefined;
  /** Where it is said why. */
  readonly href?: string | undefined;
}

/** Nothing where the value is good, of the device, and up to date. */
export function QualityMark({ quality: q = quality.good, href }: QualityMarkProps) {
  const { values } = words.value;
  const text = qualityText(q);
  return (
    <>
      {(q & quality.simulated) !== 0 && <Mark kind="forced" text={values.forced} why={text} href={href} />}
      {isBad(q) && <Mark kind="bad" text={values.bad} why={text} href={href} />}
      {isUncertain(q) && <Mark kind="uncertain" text={values.uncertain} why={text} href={href} />}
      <StaleMark />
    </>
  );
}

/** Of all that is not followed while there is no link. */
export function StaleMark() {
  const { values } = words.value;
  return isStale.value ? <Mark kind="stale" text={values.stale} why={values.staleWhy} /> : null;
}

export type MarkKind = 'bad' | 'uncertain' | 'forced' | 'stale' | 'unknown';

export interface MarkProps {
  readonly kind: MarkKind;
  readonly text: string;
  readonly why: string;
  readonly href?: string | undefined;
}

/** As in pictures. In the cells of grids, which have no room for words, it stands for the whole mark. */
const signs: Readonly<Partial<Record<MarkKind, string>>> = { bad: '✕', uncertain: '?', forced: 'F', stale: '○' };

export function Mark({ kind, text, why, href }: MarkProps) {
  const sign = signs[kind];
  const parts = (
    <>
      {sign !== undefined && <span class="mark-sign">{sign}</span>}{' '}
      <span class={sign === undefined ? undefined : 'mark-word'}>{text}</span>
    </>
  );
  if (href !== undefined) {
    // Not in the way of the Tab key: rows of lists open by Enter, and what opens says the same.
    return (
      <a class={`mark mark-${kind}`} title={why} href={href} data-over tabIndex={-1}>
        {parts}
      </a>
    );
  }
  return (
    <span class={`mark mark-${kind}`} title={why}>
      {parts}
    </span>
  );
}
