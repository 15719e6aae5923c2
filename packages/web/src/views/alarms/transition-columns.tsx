// What a row of the history shows of its transition.
import { triggerAuthority } from '@telltale/schema/values';
import { useMemo } from 'preact/hooks';
import type { Transition } from '../../data/alarm-history.ts';
import { triggerOf } from '../../data/alarm-triggers.ts';
import type { GridColumn } from '../../parts/live-grid/grid-model.ts';
import { personText } from '../../parts/person-text.ts';
import { Mark } from '../../parts/quality-mark.tsx';
import { SeverityMark } from '../../parts/severity-mark.tsx';
import { clockText, dayText, momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { alarmAddress, trendAddress } from './alarm-links.ts';

export function transitionColumns(): readonly GridColumn<Transition>[] {
  const { alarms: texts, common, values } = words.value;
  const mark = ({ severity }: Transition) => severity !== undefined && <SeverityMark severity={severity} />;
  return [
    { key: 'severity', title: texts.severityShort, width: 60, cell: mark },
    {
      key: 'time',
      title: common.time,
      width: 196,
      isFixed: true,
      narrow: 'note',
      cell: ({ t }) => (
        <a
          href={`/alarms?at=${t / 1e6}`}
          tabIndex={-1}
          title={`${momentText(t, { millis: true })} – ${texts.showMoment}`}
        >
          <time>
            {dayText(t)} {clockText(t, { millis: true })}
          </time>
        </a>
      ),
    },
    {
      key: 'alarm',
      title: texts.transitions.alarm,
      width: 220,
      grows: true,
      isFixed: true,
      narrow: 'name',
      cell: (row) => (
        <a
          class="alarm-what"
          href={alarmAddress(row.name)}
          data-over
          tabIndex={-1}
          title={row.description === '' ? row.name : `${row.description} · ${row.name}`}
        >
          <span class="alarm-narrow">{mark(row)}</span>
          <b>{row.description || row.name}</b>
          {row.description !== '' && <span class="quiet"> {row.name}</span>}
        </a>
      ),
    },
    { key: 'state', title: common.state, width: 196, narrow: 'aside', cell: ({ state }) => texts.states[state] },
    { key: 'area', title: common.area, width: 120, cell: ({ area }) => <span class="quiet">{area}</span> },
    {
      key: 'by',
      title: texts.by,
      width: 110,
      cell: ({ authority }) =>
        authority === triggerAuthority.simulated ? (
          <Mark kind="forced" text={values.forced} why={texts.triggerForced} />
        ) : (
          <span class="quiet" title={authority}>
            {authority === triggerAuthority.live ? texts.trigger : personText(authority)}
          </span>
        ),
    },
    { key: 'trend', title: '', width: 80, align: 'end', narrow: 'value', cell: (row) => <TrendLink row={row} /> },
  ];
}

function TrendLink({ row: { name, t } }: { readonly row: Transition }) {
  const texts = words.value.alarms;
  const measurement = useMemo(() => triggerOf(name), [name]).value;
  if (measurement === undefined) return null;
  return (
    <a href={trendAddress(measurement, t)} tabIndex={-1} title={`${measurement}: ${texts.showTrend}`}>
      {texts.trend}
    </a>
  );
}
