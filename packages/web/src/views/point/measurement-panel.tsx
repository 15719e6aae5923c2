// A measurement: its value in large, why it is what it is, its alarms, and forcing it.
import { useComputed, useSignal } from '@preact/signals';
import { isBad, isGood, quality } from '@telltale/schema/values';
import { useMemo } from 'preact/hooks';
import type { Shown, LiveValue as ShownValue } from '../../data/live-value.ts';
import { moment } from '../../data/moment.ts';
import { releasePoints } from '../../data/point-actions.ts';
import { factsOfPoint } from '../../data/points.ts';
import { may } from '../../data/session.ts';
import { ForceDialog } from '../../parts/force-dialog.tsx';
import { shownMoment } from '../../parts/now.ts';
import { OutcomeText } from '../../parts/outcome-text.tsx';
import { qualityText } from '../../parts/quality-words.ts';
import { ageText, momentText } from '../../parts/times.ts';
import { useAction } from '../../parts/use-action.ts';
import { useShown, Value } from '../../parts/value.tsx';
import { words } from '../../words/words.ts';
import { BlameSection } from './blame-section.tsx';
import { ExplanationSection, showExplanation } from './explanation-section.tsx';
import { ForceNote } from './force-note.tsx';
import { PointAlarms } from './point-alarms.tsx';
import { PointHistory } from './point-history.tsx';
import { PointTrend } from './point-trend.tsx';

export function MeasurementPanel({ name }: { readonly name: string }) {
  const { point } = words.value;
  const shown = useShown('measurements', name);
  const facts = useMemo(() => factsOfPoint('measurements', name), [name]).value;
  const isForcing = useSignal(false);
  const release = useAction();
  const isNow = useComputed(() => moment.value === undefined).value;
  const q = qualityOf(shown);
  const isForced = q !== undefined && (q & quality.simulated) !== 0;
  return (
    <>
      <div class="point-value">
        <Value name={name} shown={shown} facts={facts} />
      </div>
      {isValue(shown) && (
        <p class="point-quality">
          <QualityWord q={shown.quality ?? quality.good} />{' '}
          <span class="quiet" title={momentText(shown.t)}>
            {shown.t === 0 ? words.value.values.noValue : point.age(ageText((shownMoment.value - shown.t) / 1e6))}
          </span>
        </p>
      )}
      {isNow && isForced && <ForceNote name={name} />}
      {isNow && may('simulate') && typeof facts === 'object' && (
        <div class="row">
          <button
            type="button"
            onClick={() => {
              release.forget();
              isForcing.value = true;
            }}
          >
            {point.force}
          </button>
          {isForced && (
            <button
              type="button"
              disabled={release.progress.value === 'underway'}
              onClick={() =>
                void release.run(
                  async () => (await releasePoints([name]))[0] ?? { name, kind: 'done', error: undefined },
                )
              }
            >
              {point.release}
            </button>
          )}
        </div>
      )}
      <OutcomeText progress={release.progress.value} />
      {isForcing.value && typeof facts === 'object' && (
        <ForceDialog
          points={[facts]}
          onClose={() => {
            isForcing.value = false;
          }}
        />
      )}
      <PointTrend kind="measurements" name={name} />
      <ExplanationSection name={name} q={q} />
      <PointAlarms measurement={name} />
      <PointHistory kind="measurements" name={name} version={isForced} />
      <BlameSection family="measurements" name={name} />
    </>
  );
}

/** Good is a word; what is not leads to why. */
function QualityWord({ q }: { readonly q: number }) {
  const text = qualityText(q);
  if (isGood(q) && (q & quality.simulated) === 0) return <span>{text}</span>;
  const sign = isBad(q) ? '✕ ' : isGood(q) ? '' : '? ';
  return (
    <button type="button" class="plain point-why" title={words.value.point.qualityTitle} onClick={showExplanation}>
      {sign}
      {text}
    </button>
  );
}

const isValue = (shown: Shown): shown is ShownValue => typeof shown === 'object';

const qualityOf = (shown: Shown) => (isValue(shown) ? shown.quality : undefined);
