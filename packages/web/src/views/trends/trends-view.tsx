// The view trends: pens over time, with all that is done to them around the part that draws them.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { readTrend } from '../../data/named-trends.ts';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { TrendOf } from '../../parts/trend/trend.tsx';
import { useTrend } from '../../parts/trend/trend-parts.ts';
import { viewPlace } from '../../router.ts';
import type { ViewProps } from '../../routes.ts';
import { words } from '../../words/words.ts';
import { NamedTrends } from './named-trends.tsx';
import { PenPicker } from './pen-picker.tsx';
import { type KeptAddress, keepInAddress, modelOf } from './trend-address.ts';
import { showTrend } from './trend-form.ts';
import { TrendMarksList } from './trend-marks-list.tsx';
import { TrendTable } from './trend-table.tsx';
import { TrendTools } from './trend-tools.tsx';

export default function TrendsView({ parameters: { name } }: ViewProps) {
  const { common, shell, trends } = words.value;
  const model = useMemo(() => modelOf(viewPlace.peek().query), []);
  const parts = useTrend(model);
  const address = useRef<KeptAddress | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    const kept = keepInAddress(model);
    address.current = kept;
    return kept.stop;
  }, [model]);
  const hasPens = viewPlace.value.query.has('pens');
  const isLoading = useSignal(name !== undefined && !hasPens);
  useEffect(() => {
    error.value = undefined;
    isLoading.value = name !== undefined && !hasPens;
    model.title.value = name;
    if (name === undefined || hasPens) return;
    const end = new AbortController();
    readTrend(name, end.signal).then(
      (trend) => {
        if (end.signal.aborted) return;
        isLoading.value = false;
        const left = showTrend(model, trend);
        address.current?.settle();
        if (left > 0) notify(words.peek().trends.noAlarmPens(left));
      },
      (caught: unknown) => {
        if (end.signal.aborted) return;
        isLoading.value = false;
        error.value = caught;
      },
    );
    return () => end.abort();
  }, [name, hasPens]);
  const isEmpty = model.pens.value.length === 0;
  return (
    <div class="view trends">
      <h1 class="hidden-text">{name ?? shell.views.trends}</h1>
      <aside class="trends-side" aria-label={trends.pens}>
        <PenPicker model={model} />
        <NamedTrends parts={parts} name={name} />
      </aside>
      <section class="trends-main">
        {error.value !== undefined && <ProblemText error={error.value} />}
        <TrendTools parts={parts} />
        {isLoading.value && <p class="quiet">{common.loading}</p>}
        {isEmpty && !isLoading.value && error.value === undefined && (
          <div class="trends-empty panel">
            <h2>{trends.noPens}</h2>
            <p class="quiet">{trends.noPensHelp}</p>
          </div>
        )}
        {!isEmpty && <TrendOf parts={parts} />}
        {!isEmpty && <TrendMarksList parts={parts} />}
        {!isEmpty && <TrendTable parts={parts} />}
      </section>
    </div>
  );
}
