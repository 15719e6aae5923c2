// The list of all points, live: what is seen is watched, and no more.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { pointList, readPointList } from '../../data/point-list.ts';
import { ColumnChooser } from '../../parts/live-grid/column-chooser.tsx';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import type { GridKey } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { pointPath } from '../../parts/point-path.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { clockText } from '../../parts/times.ts';
import { go } from '../../router.ts';
import type { ViewProps } from '../../routes.ts';
import { language } from '../../settings.ts';
import { words } from '../../words/words.ts';
import { arrangedColumns, pointColumns } from './point-columns.tsx';
import { PointFilters } from './point-filters.tsx';
import { isLiveColumn } from './point-order.ts';
import { PointSelection } from './point-selection.tsx';
import { type ShownPoints, usePoints } from './use-points.ts';

const byName = { column: 'name', descending: false };

export default function PointsView(_props: ViewProps) {
  const { common, points } = words.value;
  const layout = useGridLayout('points', arrangedColumns, byName);
  const shown = usePoints(layout);
  const selection = useSignal<ReadonlySet<GridKey>>(new Set());
  const { list, error } = pointList.value;
  const hasUnit = layout.columns.value.includes('unit');
  const columns = useMemo(() => (list === undefined ? [] : pointColumns(list, hasUnit)), [list, hasUnit, words.value]);
  if (list === undefined) {
    return (
      <div class="view whole">
        <h1>{points.title}</h1>
        {error === undefined ? <p class="quiet">{common.loading}</p> : <ProblemText error={error} />}
        {error !== undefined && (
          <p>
            <button type="button" onClick={() => void readPointList()}>
              {common.retry}
            </button>
          </p>
        )}
      </div>
    );
  }
  const rows = shown.rows.value;
  return (
    <div class="view whole points">
      <div class="view-head">
        <h1>{points.title}</h1>
        <span class="quiet" role="status">
          {points.shown(counted(rows.length), counted(list.length))}
        </span>
        <SortNote layout={layout} shown={shown} />
        <span class="grow" />
        <ColumnChooser columns={columns} layout={layout} />
      </div>
      <PointFilters list={list} filter={shown.filter.value} />
      <PointSelection list={list} selection={selection} rows={rows} />
      <LiveGrid
        label={points.title}
        columns={columns}
        layout={layout}
        rows={rows}
        selection={selection}
        onOpen={(id) => go(pointPath(list.kindAt(id), list.nameAt(id)), { over: true })}
        empty={list.length === 0 ? points.none : points.noMatch}
      />
    </div>
  );
}

function counted(count: number): string {
  return count.toLocaleString(language.value === 'de' ? 'de-DE' : 'en-GB');
}

/** What it means to sort by something that changes. */
function SortNote({
  layout,
  shown,
}: {
  readonly layout: ReturnType<typeof useGridLayout>;
  readonly shown: ShownPoints;
}) {
  const { points } = words.value;
  const sort = layout.sort.value;
  if (sort === undefined || !isLiveColumn(sort.column)) return null;
  const snapshot = shown.snapshot.value;
  if (shown.snapshotError.value !== undefined) return <ProblemText error={shown.snapshotError.value} />;
  if (snapshot === undefined) return <span class="quiet">{points.sorting}</span>;
  return (
    <span class="row" title={points.sortWhy}>
      <span class="quiet">{points.sortedAt(clockText(snapshot.at))}</span>
      <button type="button" onClick={shown.again}>
        {points.sortAgain}
      </button>
    </span>
  );
}
