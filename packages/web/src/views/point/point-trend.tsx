// The small trend of the drawer: of the last hour, or from ten minutes before an alarm.
import { useMemo } from 'preact/hooks';
import type { PointKind } from '../../data/live-value.ts';
import { moment } from '../../data/moment.ts';
import { now } from '../../parts/now.ts';
import { penOf, penText } from '../../parts/trend/pen.ts';
import { Trend } from '../../parts/trend/trend.tsx';
import { words } from '../../words/words.ts';
import { PointSection } from './point-section.tsx';

export interface PointTrendProps {
  readonly kind: PointKind;
  readonly name: string;
  /** The last transition of an alarm, in microseconds since 1970; 0: there was none. */
  readonly alarmAt?: number;
}

const hourS = 3600;
const beforeS = 600;
/** An alarm of longer ago is shown by itself, not up to now. */
const longestS = 12 * hourS;

export function PointTrend({ kind, name, alarmAt = 0 }: PointTrendProps) {
  const { point } = words.value;
  const pens = useMemo(() => [penOf(kind, name)], [kind, name]);
  const at = moment.value;
  const shown = useMemo(() => windowOf(alarmAt, at ?? now.peek()), [alarmAt, at]);
  const query = new URLSearchParams({ pens: penText(pens), ...queryOfWindow(shown) });
  return (
    <PointSection title={point.sections.trend} link={<a href={`/trends?${query}`}>{point.openTrends}</a>}>
      {alarmAt > 0 && <p class="quiet">{point.trendFrom}</p>}
      <div class="point-trend">
        <Trend pens={pens} {...shown} />
      </div>
    </PointSection>
  );
}

type Shown = { readonly span: number } | { readonly from: number; readonly until: number };

function windowOf(alarmAt: number, present: number): Shown {
  const ageS = (present - alarmAt) / 1e6;
  if (alarmAt === 0 || ageS < 0) return { span: hourS };
  if (ageS + beforeS <= longestS) return { span: ageS + beforeS };
  return { from: alarmAt - beforeS * 1e6, until: alarmAt + hourS * 1e6 };
}

function queryOfWindow(shown: Shown): Record<string, string> {
  if ('span' in shown) return { span: String(Math.ceil(shown.span)) };
  return { from: String(shown.from / 1e6), until: String(shown.until / 1e6) };
}
