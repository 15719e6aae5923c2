// An alarm: its state, what raises it, how its measurement is, its last transitions; and acknowledging, activating and
// deactivating it.

import { readTransitions } from '../../data/alarm-history.ts';
import { readTrigger } from '../../data/alarm-triggers.ts';
import { alarms, isActive, isUnacknowledged, sinceOf } from '../../data/alarms.ts';
import { moment } from '../../data/moment.ts';
import { revision } from '../../data/overview.ts';
import { type AlarmAction, operateAlarms } from '../../data/point-actions.ts';
import { may } from '../../data/session.ts';
import { isStale } from '../../data/staleness.ts';
import { now, shownMoment } from '../../parts/now.ts';
import { OutcomeText } from '../../parts/outcome-text.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { SeverityMark } from '../../parts/severity-mark.tsx';
import { momentText, shortMomentText } from '../../parts/times.ts';
import { useAction } from '../../parts/use-action.ts';
import { useRead } from '../../parts/use-read.ts';
import { LiveValue, useShown } from '../../parts/value.tsx';
import { words } from '../../words/words.ts';
import { BlameSection } from './blame-section.tsx';
import { ExplanationSection } from './explanation-section.tsx';
import { LimitText } from './limit-text.tsx';
import { PointHistory } from './point-history.tsx';
import { PointSection } from './point-section.tsx';
import { PointTrend } from './point-trend.tsx';

/** So far back, and so many. */
const shownUs = 30 * 86_400e6;
const mostTransitions = 20;

export function AlarmPanel({ name }: { readonly name: string }) {
  const { common } = words.value;
  const alarm = alarms.value.get(name);
  const { value: trigger, error } = useRead((signal) => readTrigger(name, signal), [name, revision.value]);
  const measurement = trigger?.measurement ?? undefined;
  return (
    <>
      {alarm !== undefined && (
        <>
          <p class="point-alarm-state">
            <SeverityMark severity={alarm.severity} state={alarm.state} />{' '}
            <b>{words.value.alarms.states[alarm.state]}</b>
          </p>
          {alarm.t > 0 && (
            <p class="quiet" title={momentText(alarm.t)}>
              {common.since} {shortMomentText(alarm.t, shownMoment.value)} · {alarm.authority}
            </p>
          )}
        </>
      )}
      {error !== undefined && <ProblemText error={error} />}
      {trigger !== undefined && (
        <p>
          <LimitText trigger={trigger} />
        </p>
      )}
      <AlarmActions name={name} />
      {measurement !== undefined && <About measurement={measurement} t={alarm === undefined ? 0 : sinceOf(alarm)} />}
      <Transitions name={name} t={alarm?.t} />
      <PointHistory kind="alarms" name={name} version={alarm?.t} />
      <BlameSection family="alarms" name={name} />
    </>
  );
}

function AlarmActions({ name }: { readonly name: string }) {
  const { point } = words.value;
  const { progress, run } = useAction();
  const state = alarms.value.get(name)?.state;
  if (moment.value !== undefined || state === undefined) return null;
  const wanted: readonly (readonly [AlarmAction, boolean])[] = [
    ['acknowledge', may('acknowledge') && isUnacknowledged(state)],
    ['activate', may('operate-alarm') && !isActive(state)],
    ['deactivate', may('operate-alarm') && isActive(state)],
  ];
  const operate = (action: AlarmAction) =>
    run(async () => {
      const [only] = await operateAlarms([name], action);
      return only ?? { name, kind: 'done', error: undefined };
    });
  return (
    <>
      <div class="row">
        {wanted
          .filter(([, isOffered]) => isOffered)
          .map(([action]) => (
            <button
              key={action}
              type="button"
              class={action === 'acknowledge' ? 'main' : ''}
              disabled={isStale.value || progress.value === 'underway'}
              onClick={() => void operate(action)}
            >
              {point[action]}
            </button>
          ))}
      </div>
      <OutcomeText progress={progress.value} />
    </>
  );
}

/** `t`: when the alarm came. */
function About({ measurement, t }: { readonly measurement: string; readonly t: number }) {
  const { point } = words.value;
  const shown = useShown('measurements', measurement);
  const q = typeof shown === 'object' ? shown.quality : undefined;
  return (
    <>
      <PointSection title={point.sections.about}>
        <p class="point-about">
          <a href={`/points/${measurement}`} data-over>
            {measurement}
          </a>{' '}
          <LiveValue kind="measurements" name={measurement} age />
        </p>
      </PointSection>
      <PointTrend kind="measurements" name={measurement} alarmAt={t} />
      <ExplanationSection name={measurement} q={q} />
    </>
  );
}

/** `t`: of the last transition, after which they are read again. */
function Transitions({ name, t }: { readonly name: string; readonly t: number | undefined }) {
  const { point } = words.value;
  const at = moment.value;
  const { value, error } = useRead(
    async (signal) => {
      const until = at ?? now.peek() + 1e6;
      const wanted = { since: Math.max(0, until - shownUs), until, names: [name] };
      return (await readTransitions(wanted, { limit: mostTransitions, signal })).rows;
    },
    [name, t, at],
  );
  return (
    <PointSection title={point.sections.transitions}>
      <ReadState value={value} error={error} />
      {value?.length === 0 && <p class="quiet">{point.noTransitions}</p>}
      {value !== undefined && value.length > 0 && (
        <table>
          <tbody>
            {value.map((each) => (
              <tr key={`${each.t}`}>
                <td>
                  <time title={momentText(each.t, { millis: true })}>{shortMomentText(each.t, shownMoment.value)}</time>
                </td>
                <td>{words.value.alarms.states[each.state]}</td>
                <td class="quiet">{each.authority}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </PointSection>
  );
}
