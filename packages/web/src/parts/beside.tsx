// The value that a point has now beside the one that it would have.
import { useMemo } from 'preact/hooks';
import type { PointKind } from '../data/live-value.ts';
import type { Measure } from '../data/points.ts';
import { words } from '../words/words.ts';
import { useShown, Value } from './value.tsx';
import { valueText } from './value-text.ts';

export interface BesideProps {
  readonly kind: PointKind;
  readonly name: string;
  readonly facts: Measure;
  /** With its prefix; undefined: none yet. */
  readonly value: string | undefined;
  /** It was sent: what is beside it stays as it was then. */
  readonly isSent?: boolean;
}

export function Beside({ kind, name, facts, value, isSent = false }: BesideProps) {
  const { point } = words.value;
  const shown = useShown(kind, name);
  const before = useMemo(() => shown, [isSent]);
  return (
    <dl class="beside">
      <div>
        <dt>{isSent ? point.before : point.now}</dt>
        <dd>
          <Value name={name} shown={isSent ? before : shown} facts={facts} plain />
        </dd>
      </div>
      <div>
        <dt>{point.new}</dt>
        <dd class="beside-new">
          {value === undefined ? (
            <span class="quiet">…</span>
          ) : (
            <>
              {valueText(value, facts)} <span class="quiet">{facts.eu}</span>
            </>
          )}
        </dd>
      </div>
    </dl>
  );
}
