// What can be done with the points that are selected: force, release, acknowledge, and take them elsewhere.
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { acknowledge } from '../../data/alarm-actions.ts';
import { unacknowledgedOf } from '../../data/alarms-of-points.ts';
import { moment } from '../../data/moment.ts';
import { failuresOf, type Outcome, releasePoints } from '../../data/point-actions.ts';
import type { PointList } from '../../data/point-list.ts';
import { may } from '../../data/session.ts';
import { ForceDialog } from '../../parts/force-dialog.tsx';
import type { GridKey, GridRows } from '../../parts/live-grid/grid-model.ts';
import { notify, notifyFailure } from '../../parts/notices.tsx';
import { OutcomeList } from '../../parts/outcome-list.tsx';
import { copyText, saveFile } from '../../parts/save-file.ts';
import { words } from '../../words/words.ts';
import { pointsCsv } from './points-csv.ts';

export interface PointSelectionProps {
  readonly list: PointList;
  readonly selection: Signal<ReadonlySet<GridKey>>;
  readonly rows: GridRows<number>;
}

/** More pens than these make no trend that can be read. */
const mostPens = 16;

export function PointSelection({ list, selection, rows }: PointSelectionProps) {
  const { grid, points, forced } = words.value;
  const isForcing = useSignal(false);
  const isBusy = useSignal(false);
  const failures = useSignal<readonly Outcome[]>([]);
  const chosen = selection.value;
  if (chosen.size === 0) return null;
  const names = [...chosen].map(String);
  const measurements = names.filter((key) => !list.isCommandKey(key));
  const hidden = chosen.size - shownOf(rows, chosen);
  const isNow = moment.value === undefined;
  const run = async (work: () => Promise<void>) => {
    isBusy.value = true;
    failures.value = [];
    await work().catch(notifyFailure);
    isBusy.value = false;
  };
  const release = () =>
    run(async () => {
      const outcomes = await releasePoints(measurements);
      failures.value = failuresOf(outcomes);
      const done = outcomes.length - failures.value.length;
      if (done > 0) notify(forced.released(done));
    });
  const acknowledgeThem = () =>
    run(async () => {
      const found = await unacknowledgedOf(new Set(measurements));
      const refused = await acknowledge(found);
      failures.value = [...refused].map(([name, why]) => ({ name, kind: 'refused', error: new Error(why) }));
      notify(points.acknowledged(found.length - refused.size));
    });
  const exportCsv = () =>
    run(async () => {
      saveFile('points.csv', await pointsCsv(list, idsOf(list, chosen), moment.peek()), 'text/csv');
    });
  const copyNames = () =>
    run(async () => {
      const ids = idsOf(list, chosen);
      await copyText(ids.map((id) => list.nameAt(id)).join('\n'));
      notify(points.copied(ids.length));
    });
  return (
    <div class="points-selection">
      <div class="row" role="toolbar" aria-label={grid.selected(chosen.size)}>
        <strong>{grid.selected(chosen.size)}</strong>
        {hidden > 0 && <span class="points-hidden">⚠ {points.hiddenSelected(hidden)}</span>}
        {isNow && may('simulate') && measurements.length > 0 && (
          <>
            <Action isBusy={isBusy.value} onClick={() => (isForcing.value = true)}>
              {points.force}
            </Action>
            <Action isBusy={isBusy.value} onClick={() => void release()}>
              {points.release}
            </Action>
          </>
        )}
        {isNow && may('acknowledge') && may('read-config') && measurements.length > 0 && (
          <Action isBusy={isBusy.value} onClick={() => void acknowledgeThem()}>
            {points.acknowledge}
          </Action>
        )}
        {chosen.size <= mostPens && (
          <a
            class="button"
            href={`/trends?pens=${idsOf(list, chosen)
              .map((id) => list.nameAt(id))
              .join()}`}
          >
            {points.trends}
          </a>
        )}
        <Action isBusy={isBusy.value} onClick={() => void exportCsv()}>
          {points.exportCsv}
        </Action>
        <Action isBusy={isBusy.value} onClick={() => void copyNames()}>
          {points.copyNames}
        </Action>
        <button type="button" class="plain" onClick={() => (selection.value = new Set())}>
          {grid.selectNone}
        </button>
      </div>
      <OutcomeList failures={failures.value} />
      {isForcing.value && (
        <ForceDialog
          points={idsOf(list, new Set(measurements)).map((id) => ({
            name: list.nameAt(id),
            datatype: list.datatypeAt(id),
          }))}
          onClose={() => {
            isForcing.value = false;
          }}
        />
      )}
    </div>
  );
}

interface ActionProps {
  readonly isBusy: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

function Action({ isBusy, onClick, children }: ActionProps) {
  return (
    <button type="button" disabled={isBusy} onClick={onClick}>
      {children}
    </button>
  );
}

/** In the order of the list. */
function idsOf(list: PointList, keys: ReadonlySet<GridKey>): number[] {
  const ids: number[] = [];
  for (let id = 0; id < list.length && ids.length < keys.size; id++) if (keys.has(list.keyAt(id))) ids.push(id);
  return ids;
}

function shownOf(rows: GridRows<number>, keys: ReadonlySet<GridKey>): number {
  let count = 0;
  for (let index = 0; index < rows.length && count < keys.size; index++) if (keys.has(rows.keyAt(index))) count++;
  return count;
}
