// The history of all alarms: every transition of an interval, the newest first, older ones as somebody scrolls.
import { useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Transition } from '../../data/alarm-history.ts';
import { alarms } from '../../data/alarms.ts';
import { moment } from '../../data/moment.ts';
import { useCalm } from '../../parts/calm.ts';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { rowsOf } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { notifyFailure } from '../../parts/notices.tsx';
import { shownMoment } from '../../parts/now.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { saveBlob } from '../../parts/save-file.ts';
import { go } from '../../router.ts';
import { words } from '../../words/words.ts';
import { choicesOf } from './alarm-choices.ts';
import { alarmAddress } from './alarm-links.ts';
import { historyFilter, wantedOf } from './history-filter.ts';
import { HistoryFilterBar } from './history-filter-bar.tsx';
import { transitionColumns } from './transition-columns.tsx';
import { transitionsCsv } from './transitions-csv.ts';
import { useTransitions } from './use-transitions.ts';

const choicesMs = 5000;
/** Older ones are read when so many rows are left. */
const ahead = 50;

export function AlarmHistory() {
  const { alarms: texts, common } = words.value;
  const turn = useSignal(0);
  const isSaving = useSignal(false);
  const filter = historyFilter.value;
  const readAt = useMemo(() => shownMoment.peek(), [filter, turn.value, moment.value]);
  const { transitions, more } = useTransitions(filter, shownMoment, turn.value + (moment.value ?? 0));
  const { rows: found, isLoading, isDone, isCapped, error } = transitions.value;

  const calm = useCalm(alarms, choicesMs);
  const choices = useMemo(() => choicesOf(calm.value), [calm.value]);
  const hasNew = useComputed(() => {
    if (moment.value !== undefined || historyFilter.value.to !== undefined) return false;
    for (const { t, state } of alarms.value.values()) if (t > readAt && state !== undefined) return true;
    return false;
  });
  const columns = useMemo(() => transitionColumns(), [texts, common]);
  const layout = useGridLayout('alarm-history', columns);
  const rows = useMemo(() => rowsOf(found, keyOf), [found]);
  const interval = wantedOf(filter, readAt);

  const save = async () => {
    isSaving.value = true;
    try {
      const blob = await transitionsCsv(filter, readAt, new AbortController().signal);
      saveBlob('alarms.csv', blob);
    } catch (failure) {
      notifyFailure(failure);
    } finally {
      isSaving.value = false;
    }
  };
  const again = () => {
    turn.value++;
  };
  return (
    <>
      <HistoryFilterBar {...choices} />
      <div class="alarm-bar">
        <span class="alarm-counts" role="status">
          {isDone ? texts.transitions.count(found.length) : texts.transitions.countSoFar(found.length)}
          {isLoading && <span class="quiet"> · {texts.transitions.loading}</span>}
          {isCapped && <span class="quiet"> · {texts.transitions.capped(found.length)}</span>}
        </span>
        <span class="alarm-new">
          {hasNew.value && (
            <button type="button" onClick={again}>
              {texts.transitions.changed} {texts.transitions.refresh}
            </button>
          )}
        </span>
        <button type="button" disabled={isSaving.value} title={texts.transitions.csvWhy} onClick={() => void save()}>
          {texts.transitions.csv}
        </button>
      </div>
      {interval.since >= interval.until && <p class="error">{texts.transitions.badInterval}</p>}
      <ReadState value={rows} error={error} again={again} />
      <div class="alarm-list">
        <LiveGrid
          label={texts.transitions.list}
          columns={columns}
          layout={layout}
          rows={rows}
          onOpen={({ name }) => go(alarmAddress(name), { over: true })}
          onSeen={(seen) => {
            const last = seen.at(-1);
            const rest = last === undefined ? 0 : found.length - 1 - found.lastIndexOf(last);
            if (rest < ahead) more();
          }}
          empty={isLoading ? texts.transitions.loading : texts.transitions.none}
        />
      </div>
    </>
  );
}

/** An alarm has one transition at a time. */
const keyOf = ({ name, t }: Transition) => `${t} ${name}`;
