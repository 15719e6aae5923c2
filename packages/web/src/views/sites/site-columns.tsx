// What the list of sites shows of each.
import { fromTimestamp, printable } from '@telltale/schema/values';
import type { CentreSite } from '../../data/sites.ts';
import { countText } from '../../parts/figure-text.ts';
import type { GridColumn } from '../../parts/live-grid/grid-model.ts';
import { Since } from '../../parts/since.tsx';
import { type StateLook, StateMark } from '../../parts/state-mark.tsx';
import { ageText } from '../../parts/times.ts';
import { localNumber, words } from '../../words/words.ts';
import { type Condition, causeOf, conditionOf, isClockOff, lagOf, lostOf } from './site-rows.ts';

const looks: Readonly<Record<Condition, StateLook>> = {
  down: 'down',
  twice: 'failed',
  unsent: 'wait',
  clock: 'wait',
  up: 'up',
};

/** By the id, which is one site's for ever; names may be given anew. */
export function siteAddress({ id }: CentreSite): string {
  return `/sites/${encodeURIComponent(id)}/`;
}

export function siteColumns(): readonly GridColumn<CentreSite>[] {
  const { common, connectors, shell, sites, system } = words.value;
  const sortable = { isSortable: true } as const;
  const number = { ...sortable, align: 'end' } as const;
  return [
    {
      ...sortable,
      key: 'name',
      title: common.name,
      width: 140,
      isFixed: true,
      narrow: 'name',
      cell: (site) => (
        <a href={siteAddress(site)} data-outside tabIndex={-1} title={`${site.name} (${site.id})`}>
          {site.name}
        </a>
      ),
    },
    {
      ...sortable,
      key: 'state',
      title: common.state,
      width: 120,
      narrow: 'value',
      cell: (site) => {
        const condition = conditionOf(site);
        return <StateMark look={looks[condition]} text={sites.conditions[condition]} />;
      },
    },
    {
      ...number,
      key: 'since',
      title: common.since,
      width: 76,
      narrow: 'aside',
      cell: ({ since }) => <Since us={fromTimestamp(since)} />,
    },
    {
      ...number,
      key: 'alarms',
      title: shell.views.alarms,
      width: 80,
      // Not acknowledged / active, as above all views.
      cell: ({ alarms }) =>
        alarms && (
          <Counted
            isNone={alarms.unacknowledged + alarms.active === 0}
            text={`${alarms.unacknowledged}/${alarms.active}`}
          />
        ),
    },
    {
      ...number,
      key: 'bad',
      title: connectors.bad,
      width: 64,
      cell: ({ points }) => points && <Counted isNone={points.bad === 0} text={countText(points.bad)} />,
    },
    {
      ...number,
      key: 'lag',
      title: sites.lag,
      width: 70,
      cell: (site) => <span class="quiet">{lagOf(site) > 0 ? ageText(lagOf(site)) : '–'}</span>,
    },
    {
      ...number,
      key: 'waiting',
      title: sites.waiting,
      width: 92,
      cell: ({ uplink }) => <span class="quiet">{uplink === null ? '–' : countText(uplink['waiting-records'])}</span>,
    },
    {
      ...number,
      key: 'lost',
      title: sites.lost,
      width: 74,
      cell: (site) => {
        const lost = lostOf(site);
        return <span class={lost > 0 ? 'sites-wrong' : 'quiet'}>{site.uplink === null ? '–' : countText(lost)}</span>;
      },
    },
    {
      ...number,
      key: 'clock',
      title: sites.clock,
      width: 74,
      cell: (site) => {
        const ahead = site['clock-ahead-seconds'];
        const amount = Math.abs(ahead).toFixed(1);
        const sign = amount === '0.0' ? '' : ahead < 0 ? '−' : '+';
        return (
          <span class={isClockOff(site) ? 'sites-wrong' : 'quiet'}>
            {sign}
            {localNumber(amount)} s
          </span>
        );
      },
    },
    { ...sortable, key: 'version', title: system.version, width: 96, cell: ({ version }) => version ?? '–' },
    {
      key: 'cause',
      title: sites.cause,
      width: 160,
      grows: true,
      narrow: 'note',
      cell: (site) => {
        const cause = printable(causeOf(site));
        return (
          <span lang="en" title={cause}>
            {cause}
          </span>
        );
      },
    },
  ];
}

function Counted({ isNone, text }: { readonly isNone: boolean; readonly text: string }) {
  return isNone ? <span class="quiet">{text}</span> : <b>{text}</b>;
}
