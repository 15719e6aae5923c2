// What a row of the live list shows of its alarm, followed by itself while the row stays where it is.
import { computed } from '@preact/signals';
import { triggerAuthority } from '@telltale/schema/values';
import { useMemo } from 'preact/hooks';
import { triggerOf } from '../../data/alarm-triggers.ts';
import { alarms, isUnacknowledged, type ShownAlarm, sinceOf } from '../../data/alarms.ts';
import { may } from '../../data/session.ts';
import { isStale } from '../../data/staleness.ts';
import type { GridColumn } from '../../parts/live-grid/grid-model.ts';
import { shownMoment } from '../../parts/now.ts';
import { personText } from '../../parts/person-text.ts';
import { Mark } from '../../parts/quality-mark.tsx';
import { SeverityMark } from '../../parts/severity-mark.tsx';
import { ageText, cellMomentText, momentText } from '../../parts/times.ts';
import { LiveValue } from '../../parts/value.tsx';
import { words } from '../../words/words.ts';
import type { Acknowledging } from './acknowledging.ts';
import { alarmAddress } from './alarm-links.ts';

export interface CellsOptions {
  /** Of a moment of the past nothing can be done. */
  readonly isNow: boolean;
  readonly acknowledging: Acknowledging;
  readonly onMenu: (name: string, near: DOMRect) => void;
}

/** A row is the name of its alarm. */
export function alarmColumns({ isNow, acknowledging, onMenu }: CellsOptions): readonly GridColumn<string>[] {
  const { alarms: texts, common } = words.value;
  const columns: GridColumn<string>[] = [
    {
      key: 'severity',
      title: texts.severityShort,
      width: 52,
      isFixed: true,
      cell: (name) => <Severity name={name} />,
    },
    { key: 'time', title: texts.came, width: 114, cell: (name) => <Time name={name} /> },
    { key: 'age', title: common.age, width: 56, align: 'end', cell: (name) => <Age name={name} /> },
    {
      key: 'alarm',
      title: texts.transitions.alarm,
      width: 208,
      grows: true,
      isFixed: true,
      narrow: 'name',
      cell: (name) => <What name={name} />,
    },
    {
      key: 'state',
      title: common.state,
      width: 204,
      narrow: 'note',
      cell: (name) => <State name={name} acknowledging={acknowledging} />,
    },
    { key: 'value', title: common.value, width: 132, align: 'end', cell: (name) => <TriggerValue name={name} /> },
    { key: 'area', title: common.area, width: 84, cell: (name) => <Area name={name} /> },
    { key: 'by', title: texts.by, width: 64, cell: (name) => <Authority name={name} /> },
  ];
  if (!isNow) return columns;
  return [
    ...columns,
    {
      key: 'actions',
      title: '',
      width: may('acknowledge') ? 104 : 44,
      align: 'end',
      isFixed: true,
      narrow: 'value',
      cell: (name) => <Actions name={name} acknowledging={acknowledging} onMenu={onMenu} />,
    },
  ];
}

interface CellProps {
  readonly name: string;
}

function useAlarm(name: string): ShownAlarm | undefined {
  return useMemo(() => computed(() => alarms.value.get(name)), [name]).value;
}

function Severity({ name }: CellProps) {
  const alarm = useAlarm(name);
  if (alarm === undefined) return null;
  return <SeverityMark severity={alarm.severity} state={alarm.state} />;
}

function Time({ name }: CellProps) {
  const alarm = useAlarm(name);
  if (alarm === undefined || alarm.t === 0) return <span class="quiet">–</span>;
  const since = sinceOf(alarm);
  const isKnown = alarm.came > 0 || alarm.state === 'INACT_ACK';
  const at = momentText(since, { millis: true });
  return (
    <time title={isKnown ? at : `${words.value.alarms.cameBefore} ${at}`}>
      {isKnown ? '' : '≤ '}
      {cellMomentText(since, shownMoment.value)}
    </time>
  );
}

function Age({ name }: CellProps) {
  const alarm = useAlarm(name);
  if (alarm === undefined || alarm.t === 0) return null;
  return <span>{ageText((shownMoment.value - sinceOf(alarm)) / 1e6)}</span>;
}

function What({ name }: CellProps) {
  const alarm = useAlarm(name);
  const description = alarm?.description ?? '';
  return (
    <a
      class="alarm-what"
      href={alarmAddress(name)}
      data-over
      data-alarm={name}
      tabIndex={-1}
      title={description === '' ? name : `${description} · ${name}`}
    >
      {alarm !== undefined && (
        <span class="alarm-narrow">
          <SeverityMark severity={alarm.severity} state={alarm.state} />
        </span>
      )}
      <b>{description || name}</b>
      {description !== '' && <span class="quiet"> {name}</span>}
    </a>
  );
}

function State({ name, acknowledging }: CellProps & Pick<CellsOptions, 'acknowledging'>) {
  const alarm = useAlarm(name);
  const texts = words.value.alarms;
  if (alarm === undefined) return <span class="alarm-rests">{texts.removed}</span>;
  const why = isUnacknowledged(alarm.state) ? acknowledging.refusals.value.get(name) : undefined;
  return (
    <span class={alarm.state === 'INACT_ACK' ? 'alarm-rests' : undefined} title={why}>
      {why !== undefined && <b class="error">✕ {texts.refused} </b>}
      {/* On a narrow screen there is no other column for it. */}
      <span class="alarm-narrow">{alarm.t > 0 && `${cellMomentText(sinceOf(alarm), shownMoment.value)} `}</span>
      {texts.states[alarm.state]}
      {why !== undefined && <span class="error">: {why}</span>}
    </span>
  );
}

function Area({ name }: CellProps) {
  const area = useAlarm(name)?.area ?? '';
  return (
    <span class="quiet" title={area}>
      {area}
    </span>
  );
}

function Authority({ name }: CellProps) {
  const authority = useAlarm(name)?.authority ?? '';
  const { alarms: texts, values } = words.value;
  if (authority === triggerAuthority.simulated) {
    return <Mark kind="forced" text={values.forced} why={texts.triggerForced} />;
  }
  return (
    <span class="quiet" title={authority}>
      {authority === triggerAuthority.live ? texts.trigger : personText(authority)}
    </span>
  );
}

/** Of the measurement that triggers the alarm, or that it is about. */
function TriggerValue({ name }: CellProps) {
  const measurement = useMemo(() => triggerOf(name), [name]).value;
  if (measurement === undefined) return null;
  return <LiveValue key={measurement} kind="measurements" name={measurement} />;
}

function Actions({ name, acknowledging, onMenu }: CellProps & Pick<CellsOptions, 'acknowledging' | 'onMenu'>) {
  const alarm = useAlarm(name);
  const texts = words.value.alarms;
  if (alarm === undefined) return null;
  const canAcknowledge = may('acknowledge') && isUnacknowledged(alarm.state);
  return (
    <div class="alarm-actions">
      {canAcknowledge && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`${texts.acknowledge} ${name}`}
          disabled={isStale.value || acknowledging.underWay.value.has(name)}
          onClick={() => acknowledging.ask([name])}
        >
          ✓ {texts.acknowledgeShort}
        </button>
      )}
      <button
        type="button"
        class="plain"
        tabIndex={-1}
        aria-label={texts.menu(name)}
        aria-haspopup="menu"
        onClick={(event) => onMenu(name, event.currentTarget.getBoundingClientRect())}
      >
        ⋯
      </button>
    </div>
  );
}
