// The last minutes of a point as a small line, from the archive: its course, not its figures. Gaps are where it was bad.
import type { PointKind } from '../../data/live-value.ts';
import { type Spark, sparklines, sparkSpanS } from '../../data/sparklines.ts';
import { shownMoment } from '../../parts/now.ts';

const width = 110;
const height = 18;
const margin = 2;

export function Sparkline({ kind, name }: { readonly kind: PointKind; readonly name: string }) {
  const spark = sparklines[kind].show(name).value;
  if (spark === undefined || spark.times.length === 0) return null;
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      <path d={pathOf(spark, shownMoment.peek())} />
    </svg>
  );
}

/** Each value holds until the next. */
function pathOf({ times, values }: Spark, until: number): string {
  const from = until - sparkSpanS * 1e6;
  const known = values.filter((value) => !Number.isNaN(value));
  const low = known.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = known.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const x = (t: number) => ((Math.max(from, Math.min(t, until)) - from) / (until - from)) * width;
  const y = (value: number) =>
    high === low ? height / 2 : height - margin - ((value - low) / (high - low)) * (height - 2 * margin);
  let path = '';
  let isDrawing = false;
  for (const [at, value] of values.entries()) {
    const t = times[at] ?? from;
    if (isDrawing) path += `H${x(t).toFixed(1)}`;
    isDrawing = !Number.isNaN(value);
    if (!isDrawing) continue;
    const place = y(value).toFixed(1);
    path += Number.isNaN(values[at - 1] ?? Number.NaN) ? `M${x(t).toFixed(1)} ${place}` : `V${place}`;
  }
  return isDrawing ? `${path}H${width}` : path;
}
