// Everything that is forced now, with who did it, until when and why; released one by one, by choice, or all.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { readForced } from '../../data/forced.ts';
import { moment } from '../../data/moment.ts';
import { readOverview } from '../../data/overview.ts';
import { failuresOf, type Outcome, releasePoints } from '../../data/point-actions.ts';
import { may } from '../../data/session.ts';
import { watchNames } from '../../data/watched-names.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ColumnChooser } from '../../parts/live-grid/column-chooser.tsx';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { type GridKey, rowsOf } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { OutcomeList } from '../../parts/outcome-list.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { useRead } from '../../parts/use-read.ts';
import { go } from '../../router.ts';
import type { ViewProps } from '../../routes.ts';
import { words } from '../../words/words.ts';
import { arrangedColumns, forcedColumns, sortedForced } from './forced-columns.tsx';

/** A force that is changed stays one: the names that are forced do not tell. */
const everyMs = 5000;

export default function ForcedView(_props: ViewProps) {
  const { forced, common, grid } = words.value;
  const layout = useGridLayout('forced', arrangedColumns);
  const watched = useMemo(() => watchNames('simulated'), []);
  useEffect(() => watched.end, [watched]);
  const { value, error, again } = useRead(readForced, [watched.names.value], { everyMs });
  const selection = useSignal<ReadonlySet<GridKey>>(new Set());
  const failures = useSignal<readonly Outcome[]>([]);
  const isAsking = useSignal(false);
  const mayRelease = may('simulate') && moment.value === undefined;
  const release = async (names: readonly string[]) => {
    isAsking.value = false;
    const outcomes = await releasePoints(names);
    failures.value = failuresOf(outcomes);
    const done = outcomes.length - failures.value.length;
    if (done > 0) notify(forced.released(done));
    selection.value = new Set();
    again();
    void readOverview();
  };
  const releaseNow = (names: readonly string[]) => void release(names).catch(notifyFailure);
  const columns = useMemo(() => forcedColumns(mayRelease ? releaseNow : undefined), [words.value, mayRelease]);
  const sort = layout.sort.value;
  const items = useMemo(() => sortedForced(value ?? [], sort), [value, sort]);
  const rows = useMemo(() => rowsOf(items, ({ name }) => name), [items]);
  const chosen = items.filter(({ name }) => selection.value.has(name)).map(({ name }) => name);
  if (value === undefined) {
    return (
      <div class="view">
        <h1>{forced.title}</h1>
        {error === undefined ? <p class="quiet">{common.loading}</p> : <ProblemText error={error} />}
      </div>
    );
  }
  return (
    <div class="view whole">
      <div class="view-head">
        <h1>{forced.title}</h1>
        <span class="quiet" role="status">
          {items.length > 0 && forced.count(items.length)}
        </span>
        <span class="grow" />
        {mayRelease && chosen.length > 0 && (
          <button type="button" onClick={() => releaseNow(chosen)}>
            {forced.releaseSelected(chosen.length)}
          </button>
        )}
        {mayRelease && items.length > 0 && (
          <button type="button" onClick={() => (isAsking.value = true)}>
            {forced.releaseAll}
          </button>
        )}
        {items.length > 0 && <ColumnChooser columns={columns} layout={layout} />}
      </div>
      {moment.value !== undefined && <p class="quiet">{forced.notNow}</p>}
      {error !== undefined && <ProblemText error={error} />}
      <OutcomeList failures={failures.value} />
      {items.length === 0 ? (
        <p class="panel">{forced.none}</p>
      ) : (
        <LiveGrid
          label={forced.title}
          columns={columns}
          layout={layout}
          rows={rows}
          {...(mayRelease && { selection })}
          onOpen={({ name }) => go(`/points/${name}`, { over: true })}
          empty={grid.empty}
        />
      )}
      {isAsking.value && (
        <Dialog
          title={forced.releaseAllAsk(items.length)}
          onClose={() => (isAsking.value = false)}
          actions={
            <>
              <button type="button" onClick={() => (isAsking.value = false)}>
                {common.cancel}
              </button>
              <button type="button" class="main" onClick={() => releaseNow(items.map(({ name }) => name))}>
                {forced.release}
              </button>
            </>
          }
        >
          <p>{forced.releaseWhy}</p>
        </Dialog>
      )}
    </div>
  );
}
