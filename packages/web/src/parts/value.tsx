// One live value: its figure, unit and age, and its marks. The only part that shows values, so that no view forgets a mark.

import { isBad, isPrefixedText } from '@telltale/schema/values';
import { useMemo } from 'preact/hooks';
import { liveStores } from '../data/live-store.ts';
import type { PointKind, Shown } from '../data/live-value.ts';
import { type Facts, factsOfPoint, type PointFacts } from '../data/points.ts';
import { isStale } from '../data/staleness.ts';
import { words } from '../words/words.ts';
import { shownMoment } from './now.ts';
import { Mark, QualityMark } from './quality-mark.tsx';
import { ageText, momentText } from './times.ts';
import { valueText } from './value-text.ts';

export interface LiveValueProps {
  readonly kind: PointKind;
  readonly name: string;
  readonly age?: boolean;
  /** Without the unit, where a column has it. */
  readonly bare?: boolean;
  /** Its marks lead nowhere: in a dialog, which would be left by it. */
  readonly plain?: boolean;
}

/** The value of a point as long as it is on the page. */
export function LiveValue({ kind, name, ...options }: LiveValueProps) {
  const shown = useShown(kind, name);
  const facts = useMemo(() => factsOfPoint(kind, name), [kind, name]).value;
  return <Value name={name} shown={shown} facts={facts} {...options} />;
}

/** What a live store has of a name, as long as the component is on the page. */
export function useShown(kind: PointKind, name: string): Shown {
  return liveStores[kind].show(name).value;
}

export interface ValueProps {
  readonly name: string;
  readonly shown: Shown;
  /** A list of points has them at hand. */
  readonly facts: Facts | Pick<PointFacts, 'eu' | 'precision'>;
  readonly age?: boolean;
  readonly bare?: boolean;
  readonly plain?: boolean;
}

export function Value({ name, shown, facts, age = false, bare = false, plain = false }: ValueProps) {
  const { values } = words.value;
  if (shown === 'pending') return <span class="value quiet">…</span>;
  if (shown === 'unknown') return <Mark kind="unknown" text={values.unknown} why={values.unknownWhy(name)} />;
  if (shown === 'none') return <Mark kind="unknown" text={values.noRecord} why={values.noRecordWhy} />;
  const known = typeof facts === 'string' ? undefined : facts;
  const { value, t, quality } = shown;
  const state = quality !== undefined && isBad(quality) ? 'bad' : undefined;
  // The present value of a command that nobody has written is nobody's.
  const isNever = t === 0 && quality === undefined;
  const text = isNever || (t === 0 && state === 'bad') ? '–' : valueText(value, known);
  return (
    <span
      class="value"
      data-quality={state}
      data-stale={isStale.value ? 'true' : undefined}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = momentText(t);
      }}
    >
      <span class={`figure ${lookOf(value, text)}`}>{text}</span>
      {isNever && <span class="unit">{words.value.point.neverWritten}</span>}
      {!bare && !isNever && unitOf(known) !== '' && <span class="unit">{unitOf(known)}</span>}
      <QualityMark quality={quality} href={plain ? undefined : `/points/${name}?show=explanation`} />
      {age && <Age t={t} />}
    </span>
  );
}

const longFigure = 14;

/** Texts may be cut where there is no room; numbers are smaller instead. */
function lookOf(value: string, text: string): string {
  return isPrefixedText(value) ? 'words' : text.length > longFigure ? 'long' : '';
}

const unitOf = (facts: Pick<PointFacts, 'eu'> | undefined) => facts?.eu ?? '';

function Age({ t }: { readonly t: number }) {
  if (t === 0) return null;
  return <span class="age">{ageText((shownMoment.value - t) / 1e6)}</span>;
}
