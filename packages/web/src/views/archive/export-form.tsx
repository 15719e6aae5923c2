// Records of an interval as a file of CSV: as they are, or one for each step of the clock.
import { useSignal } from '@preact/signals';
import {
  type Aggregate,
  type ArchiveKind,
  aggregates,
  type CalendarStep,
  calendarSteps,
  exportArchive,
} from '../../data/archive.ts';
import { submits, typedInto } from '../../parts/fields.tsx';
import { now } from '../../parts/now.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { saveBlob } from '../../parts/save-file.ts';
import { dayText, zone } from '../../parts/times.ts';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';
import { type Ends, IntervalFields, intervalOf, KindField, namesIn } from './interval-fields.tsx';

const kinds = ['measurements', 'commands', 'alarms'] as const;
const dayUs = 24 * 3600e6;

export function ExportForm() {
  const { archive, common } = words.value;
  const kind = useSignal<ArchiveKind>('measurements');
  const names = useSignal('');
  const ends = useSignal<Ends>({ from: Math.floor((now.peek() - dayUs) / 1e6) * 1e6, to: undefined });
  const step = useSignal<CalendarStep | undefined>(undefined);
  const aggregate = useSignal<Aggregate | undefined>(undefined);
  const { isUnderway, error, run, stop } = useTask();
  const interval = intervalOf(ends.value, now.value);
  const mayAggregate = kind.value !== 'alarms' && step.value !== undefined;
  const save = () =>
    run(async (signal) => {
      const chosen = intervalOf(ends.peek(), now.peek());
      if (chosen === undefined) return;
      const blob = await exportArchive(
        {
          ...chosen,
          kind: kind.peek(),
          names: namesIn(names.peek()),
          ...(step.peek() !== undefined && { resample: step.peek(), tz: zone.peek() }),
          ...(mayAggregate && { aggregate: aggregate.peek() }),
        },
        signal,
      );
      saveBlob(`${kind.peek()}-${dayText(now.peek())}.csv`, blob);
    });
  return (
    <section class="panel">
      <h2>{archive.exporting}</h2>
      <form class="archive-form" onSubmit={submits(save)}>
        <KindField kinds={kinds} kind={kind} />
        <label class="row">
          {archive.names}
          <input class="mono" {...typedInto(names)} placeholder={archive.namesHint} spellcheck={false} />
        </label>
        <IntervalFields ends={ends} />
        <label class="row">
          {archive.step}
          <select
            value={step.value ?? ''}
            onChange={({ currentTarget }) => {
              step.value = calendarSteps.find((each) => each === currentTarget.value);
            }}
          >
            <option value="">{archive.everyRecord}</option>
            {calendarSteps.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        {mayAggregate && (
          <label class="row">
            {archive.aggregate}
            <select
              value={aggregate.value ?? ''}
              onChange={({ currentTarget }) => {
                aggregate.value = aggregates.find((each) => each === currentTarget.value);
              }}
            >
              <option value="">{archive.lastOne}</option>
              {aggregates.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        )}
        {interval === undefined && <p class="error">{archive.badInterval}</p>}
        <div class="row">
          <button type="submit" class="main" disabled={isUnderway || interval === undefined}>
            {archive.saveCsv}
          </button>
          {isUnderway && (
            <>
              <span role="status">{archive.exportUnderway}</span>
              <button type="button" onClick={stop}>
                {common.cancel}
              </button>
            </>
          )}
        </div>
      </form>
      {error !== undefined && <ProblemText error={error} />}
    </section>
  );
}
