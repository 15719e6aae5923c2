// The alarms that look at a measurement, with their limits and states; acknowledged here too.

import { type AlarmTrigger, readTriggersOf } from '../../data/alarm-triggers.ts';
import { alarms, isUnacknowledged, type ShownAlarm } from '../../data/alarms.ts';
import { moment } from '../../data/moment.ts';
import { revision } from '../../data/overview.ts';
import { operateAlarms } from '../../data/point-actions.ts';
import { may } from '../../data/session.ts';
import { pointPath } from '../../parts/point-path.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { SeverityMark } from '../../parts/severity-mark.tsx';
import { notifyOutcome, useAction } from '../../parts/use-action.ts';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';
import { LimitText } from './limit-text.tsx';
import { PointSection } from './point-section.tsx';

const most = 30;

export function PointAlarms({ measurement }: { readonly measurement: string }) {
  const { common, point } = words.value;
  const { value, error } = useRead((signal) => readTriggersOf(measurement, signal), [measurement, revision.value]);
  return (
    <PointSection title={point.sections.alarms}>
      <ReadState value={value} error={error} />
      {value?.length === 0 && <p class="quiet">{point.noAlarms}</p>}
      <ul class="point-alarms">
        {value?.slice(0, most).map((trigger) => (
          <AlarmLine key={trigger.name} trigger={trigger} alarm={alarms.value.get(trigger.name)} />
        ))}
      </ul>
      {value !== undefined && value.length > most && <p class="quiet">{common.of(most, value.length)}</p>}
    </PointSection>
  );
}

function AlarmLine({ trigger, alarm }: { readonly trigger: AlarmTrigger; readonly alarm: ShownAlarm | undefined }) {
  const { name } = trigger;
  return (
    <li>
      <SeverityMark severity={trigger.severity} state={alarm?.state ?? 'INACT_ACK'} />
      <div class="grow">
        <a href={pointPath('alarms', name)} data-over>
          {alarm?.description || name}
        </a>
        <div class="quiet">
          <LimitText trigger={trigger} />
          {alarm !== undefined && <> · {words.value.alarms.states[alarm.state]}</>}
        </div>
      </div>
      {alarm !== undefined && isUnacknowledged(alarm.state) && <Acknowledge name={name} />}
    </li>
  );
}

/** Left out where it may not be done; what was refused is a notice. */
export function Acknowledge({ name }: { readonly name: string }) {
  const { progress, run } = useAction();
  if (moment.value !== undefined || !may('acknowledge')) return null;
  const acknowledge = async () => {
    const outcome = await run(async () => {
      const [only] = await operateAlarms([name], 'acknowledge');
      return only ?? { name, kind: 'done', error: undefined };
    });
    if (outcome !== undefined && outcome.kind !== 'done') notifyOutcome(outcome);
  };
  return (
    <button type="button" disabled={progress.value === 'underway'} onClick={() => void acknowledge()}>
      {words.value.point.acknowledge}
    </button>
  );
}
