// The value that a point has now beside the one that it would have.
import type { PointKind } from '../data/live-value.ts';
import type { Measure } from '../data/points.ts';
import { words } from '../words/words.ts';
import { LiveValue } from './value.tsx';
import { valueText } from './value-text.ts';

export interface BesideProps {
  readonly kind: PointKind;
  readonly name: string;
  readonly facts: Measure;
  /** With its prefix; undefined: none yet. */
  readonly value: string | undefined;
}

export function Beside({ kind, name, facts, value }: BesideProps) {
  const { point } = words.value;
  return (
    <dl class="beside">
      <div>
        <dt>{point.now}</dt>
        <dd>
          <LiveValue kind={kind} name={name} plain />
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
