// The records of the visible window as a table, for who cannot see the drawing or wants the figures.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { LiveValue } from '../../data/live-value.ts';
import { factsOfPoint } from '../../data/points.ts';
import { indexAt, type Piece, prefixedAt, qualityAt } from '../../data/trace.ts';
import { momentText } from '../../parts/times.ts';
import { alignedStretches } from '../../parts/trend/overlay.ts';
import { keyOfPen, type Pen } from '../../parts/trend/pen.ts';
import type { TrendParts } from '../../parts/trend/trend-parts.ts';
import { Value } from '../../parts/value.tsx';
import { words } from '../../words/words.ts';

const mostRows = 500;

interface Row {
  readonly pen: Pen;
  readonly shown: LiveValue;
  /** Where it is drawn. */
  readonly shownAt: number;
  /** How far from its own time. */
  readonly shift: number;
  /** It is older than the window. */
  readonly isInForce: boolean;
}

export function TrendTable({ parts }: { readonly parts: TrendParts }) {
  const { trends } = words.value;
  const isOpen = useSignal(false);
  return (
    <details
      class="trend-table"
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{trends.tableTitle}</summary>
      {isOpen.value && <Rows parts={parts} />}
    </details>
  );
}

function Rows({ parts }: { readonly parts: TrendParts }) {
  const { trends, common } = words.value;
  const { model, source } = parts;
  const { from, until } = parts.drawing?.drawn.value ?? { from: 0, until: 1 };
  const second = Math.floor(until / 1e6);
  const rows = useMemo(
    () => rowsOf(parts, from, until),
    [from, second, source.version.value, model.pens.value, model.overlayDays.value],
  );
  if (rows.length === 0) return <p class="quiet">{trends.noRecords}</p>;
  return (
    <>
      <p class="quiet">{rows.length > mostRows ? trends.tableMore(mostRows, rows.length) : trends.tableThinned}</p>
      <table aria-label={trends.tableTitle}>
        <thead>
          <tr>
            <th>{common.time}</th>
            <th>{common.name}</th>
            <th>{common.value}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, mostRows).map(({ pen, shown, shownAt, shift, isInForce }) => (
            <tr key={`${keyOfPen(pen)} ${shown.t} ${shift}`}>
              <td>
                {momentText(shownAt, { millis: true })} {isInForce && <span class="quiet">{trends.inForce}</span>}
              </td>
              <td>
                {pen.name} {shift !== 0 && <span class="quiet">{trends.recordOf(momentText(shown.t))}</span>}
              </td>
              <td>
                <Value name={pen.name} shown={shown} facts={factsOfPoint(pen.kind, pen.name).value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** In time order, those that are laid under at the time at which they are drawn. */
function rowsOf({ model, source, drawing }: TrendParts, from: number, until: number): Row[] {
  const rows: Row[] = [];
  const width = drawing?.layout.peek().width ?? 1000;
  const days = model.overlayDays.peek();
  const under = days === undefined ? [] : alignedStretches(from, until, days);
  for (const pen of model.pens.peek()) {
    addRows(rows, { pen, pieces: source.pieces(pen, from, until, width), from, shift: 0 });
    for (const { from: start, until: end, shift } of under) {
      const pieces = source.pieces(pen, start - shift, end - shift, width);
      addRows(rows, { pen, pieces, from: start - shift, shift });
    }
  }
  return rows.sort((one, other) => one.shownAt - other.shownAt);
}

interface Drawn {
  readonly pen: Pen;
  readonly pieces: readonly Piece[];
  readonly from: number;
  readonly shift: number;
}

/** Where tiles meet, the record in force comes again: it is one. */
function addRows(rows: Row[], { pen, pieces, from, shift }: Drawn): void {
  let last = '';
  for (const { trace, from: start, until } of pieces) {
    for (let at = Math.max(0, indexAt(trace, start)); at < trace.times.length; at++) {
      const t = trace.times[at] ?? 0;
      if (t >= until) break;
      const shown = { value: prefixedAt(trace, at), t: Math.max(t, from), quality: qualityAt(trace, at) };
      const key = `${shown.value} ${shown.quality}`;
      if (t <= start && last === key) continue;
      last = key;
      rows.push({ pen, shown, shownAt: shown.t + shift, shift, isInForce: t <= from });
    }
  }
}
