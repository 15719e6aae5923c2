// The columns of what is forced.
import type { Simulation } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import type { GridSort } from '../../parts/live-grid/grid-layout.ts';
import type { GridColumn } from '../../parts/live-grid/grid-model.ts';
import { now } from '../../parts/now.ts';
import { personText } from '../../parts/person-text.ts';
import { type SortKeys, sortedBy } from '../../parts/sorted-by.ts';
import { ageText, cellMomentText, momentText } from '../../parts/times.ts';
import { LiveValue } from '../../parts/value.tsx';
import { words } from '../../words/words.ts';

/** What the arrangement of the columns depends on. */
export const arrangedColumns = [
  { key: 'name', isFixed: true },
  ...['value', 'by', 'since', 'until', 'remaining', 'reason', 'release'].map((key) => ({ key })),
];

export function forcedColumns(
  release: ((names: readonly string[]) => void) | undefined,
): readonly GridColumn<Simulation>[] {
  const { common, forced } = words.value;
  return [
    {
      key: 'name',
      title: common.name,
      width: 180,
      isSortable: true,
      isFixed: true,
      narrow: 'name',
      cell: ({ name }) => (
        <a href={`/points/${name}`} data-over tabIndex={-1}>
          {name}
        </a>
      ),
    },
    {
      key: 'value',
      title: common.value,
      width: 150,
      align: 'end',
      narrow: 'value',
      cell: ({ name }) => <LiveValue kind="measurements" name={name} />,
    },
    { key: 'by', title: common.by, width: 100, isSortable: true, cell: ({ by }) => personText(by) },
    {
      key: 'since',
      title: common.since,
      width: 116,
      isSortable: true,
      cell: ({ since }) => <Moment us={fromTimestamp(since)} />,
    },
    {
      key: 'until',
      title: common.until,
      width: 116,
      isSortable: true,
      cell: ({ until }) => (until === null ? forced.untilReleased : <Moment us={fromTimestamp(until)} />),
    },
    {
      key: 'remaining',
      title: forced.remaining,
      width: 104,
      align: 'end',
      narrow: 'aside',
      cell: ({ until }) => (until === null ? '∞' : <Remaining until={fromTimestamp(until)} />),
    },
    {
      key: 'reason',
      title: common.reason,
      width: 150,
      grows: 1,
      isSortable: true,
      narrow: 'note',
      cell: ({ reason }) => reason,
    },
    {
      key: 'release',
      title: '',
      width: 104,
      cell: ({ name }) =>
        release !== undefined && (
          <button type="button" tabIndex={-1} onClick={() => release([name])}>
            {forced.release}
          </button>
        ),
    },
  ];
}

function Moment({ us }: { readonly us: number }) {
  return <span title={momentText(us)}>{cellMomentText(us, now.value)}</span>;
}

function Remaining({ until }: { readonly until: number }) {
  return <>{ageText((until - now.value) / 1e6)}</>;
}

/** What does not end by itself ends last. */
const keys: SortKeys<Simulation> = {
  name: ({ name }) => name,
  since: ({ since }) => fromTimestamp(since),
  until: ({ until }) => (until === null ? Number.MAX_VALUE : fromTimestamp(until)),
  by: ({ by }) => by,
  reason: ({ reason }) => reason ?? '',
};

/** As they come: the newest first. */
export function sortedForced(items: readonly Simulation[], sort: GridSort | undefined): readonly Simulation[] {
  return sort === undefined ? items : sortedBy(items, sort, keys);
}
