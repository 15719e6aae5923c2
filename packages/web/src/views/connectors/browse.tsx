// Browses the device of a connector: a tree to select in, and the way from there into the configuration.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type BrowsedItem, gatherOffers, mostOffers, takeable, type Walked } from '../../data/browse.ts';
import { moment } from '../../data/moment.ts';
import { TelltaleProblem } from '../../data/service.ts';
import { may } from '../../data/session.ts';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { type GridKey, rowsOf } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { words } from '../../words/words.ts';
import { browseColumns } from './browse-columns.tsx';
import { BrowseTree, type TreeRow } from './browse-tree.ts';
import { TakeOver } from './take-over.tsx';

export interface BrowseProps {
  readonly connector: string;
  /** A link that has just come up is browsed anew. */
  readonly isUp: boolean;
}

interface Gathering {
  readonly end: AbortController;
  readonly found: number;
}

const arranged = [{ key: 'offer', isFixed: true }, { key: 'as' }, { key: 'what' }, { key: 'address' }];

export function Browse({ connector, isUp }: BrowseProps) {
  const { common, connectors } = words.value;
  const titles = connectors.browse;
  const tree = useMemo(() => new BrowseTree(connector), [connector, isUp]);
  useEffect(() => () => tree.close(), [tree]);
  const layout = useGridLayout('browse', arranged);
  const selection = useSignal<ReadonlySet<GridKey>>(new Set());
  const gathering = useSignal<Gathering | undefined>(undefined);
  const gathered = useSignal<Walked | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const columns = useMemo(() => browseColumns((row) => tree.toggle(row)), [tree, words.value]);
  useEffect(() => () => gathering.peek()?.end.abort(), []);
  const rows = tree.rows.value;
  const chosen = rows.flatMap((row) => (selection.value.has(row.key) && isTakeable(row) ? [row.item] : []));

  const select = (row: TreeRow) => {
    const next = new Set(selection.peek());
    if (!next.delete(row.key)) next.add(row.key);
    selection.value = next;
  };
  const review = async () => {
    const end = new AbortController();
    const onProgress = (found: number) => {
      gathering.value = { end, found };
    };
    onProgress(0);
    error.value = undefined;
    try {
      const walked = await gatherOffers(connector, chosen, { signal: end.signal, onProgress });
      if (walked.offers.length === 0) notify(titles.nothingNew);
      else gathered.value = walked;
    } catch (thrown) {
      if (!end.signal.aborted) error.value = thrown;
    }
    gathering.value = undefined;
  };
  if (gathered.value !== undefined) {
    const { offers, isCut, closed } = gathered.value;
    return (
      <>
        {isCut && <p role="note">{titles.cut(mostOffers)}</p>}
        {closed > 0 && <p role="note">{titles.closed(closed)}</p>}
        <TakeOver
          connector={connector}
          offers={offers}
          onBack={() => {
            gathered.value = undefined;
          }}
          onTaken={() => {
            selection.value = new Set();
            tree.again();
          }}
        />
      </>
    );
  }
  const [first] = rows;
  if (first?.kind === 'error' && rows.length === 1) {
    const isUnsupported = first.error instanceof TelltaleProblem && first.error.problem === 'not-supported';
    return (
      <>
        {isUnsupported ? <p>{titles.notSupported}</p> : <ProblemText error={first.error} />}
        {!isUnsupported && (
          <p>
            <button type="button" onClick={() => tree.again()}>
              {common.retry}
            </button>
          </p>
        )}
      </>
    );
  }
  const mayTake = may('configure') && moment.value === undefined;
  return (
    <>
      <div class="row">
        <span class="quiet">{mayTake && titles.hint}</span>
        <span class="grow" />
        {gathering.value !== undefined && (
          <>
            <span role="status">{titles.gathering(gathering.value.found)}</span>
            <button type="button" onClick={() => gathering.value?.end.abort()}>
              {common.cancel}
            </button>
          </>
        )}
        {mayTake && gathering.value === undefined && (
          <>
            <span class="quiet">{titles.selected(chosen.length)}</span>
            <button type="button" class="main" disabled={chosen.length === 0} onClick={() => void review()}>
              {titles.review}
            </button>
          </>
        )}
      </div>
      {error.value !== undefined && <ProblemText error={error.value} />}
      <LiveGrid
        label={titles.offer}
        columns={columns}
        layout={layout}
        rows={rowsOf(rows, (row) => row.key)}
        {...(mayTake && { selection })}
        onOpen={(row) => (isFolder(row) || row.kind === 'more' ? tree.toggle(row) : select(row))}
        onKey={(event, row) => {
          const isWanted = event.key === 'ArrowRight' ? !isOpen(row) : event.key === 'ArrowLeft' && isOpen(row);
          if (!isWanted || !isFolder(row)) return;
          event.preventDefault();
          tree.toggle(row);
        }}
      />
    </>
  );
}

const isFolder = (row: TreeRow) => row.kind === 'item' && row.item.path !== null;
const isOpen = (row: TreeRow) => row.kind === 'item' && row.isOpen;

/** A folder stands for everything below it. */
function isTakeable(row: TreeRow): row is Extract<TreeRow, { kind: 'item' }> & { readonly item: BrowsedItem } {
  return row.kind === 'item' && (row.item.path !== null || takeable(row.item).length > 0);
}
