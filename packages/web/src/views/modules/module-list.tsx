// All function modules: their states as they change, and what they take of the machine.
import type { LiveFunctionModule } from '@telltale/schema';
import { fromTimestamp, printable } from '@telltale/schema/values';
import { useMemo } from 'preact/hooks';
import { readModules } from '../../data/modules.ts';
import { may } from '../../data/session.ts';
import { withState } from '../../data/watched-states.ts';
import { countText } from '../../parts/figure-text.ts';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { type GridColumn, rowsOf } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { now } from '../../parts/now.ts';
import { PastNote } from '../../parts/past-note.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { Since } from '../../parts/since.tsx';
import { type SortKeys, sortedBy } from '../../parts/sorted-by.ts';
import { cellMomentText, momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { useStates } from '../../parts/use-states.ts';
import { go, setViewQuery, viewQueryOf } from '../../router.ts';
import { words } from '../../words/words.ts';
import { coresText, ModuleStateMark, memoryText } from './module-state.tsx';

const everyMs = 2000;
const byState = { column: 'state', descending: false };
const text = viewQueryOf('text');

export function ModuleList() {
  const { common, modules } = words.value;
  const states = useStates('module').value;
  const { value: read, error } = useRead(readModules, [states.size], { everyMs });
  const columns = useMemo(moduleColumns, [words.value]);
  const layout = useGridLayout('modules', columns, byState);
  const all = read?.map((module) => withState(module, states.get(module.name)));
  const shown = all && sortedBy(filtered(all, text.value), layout.sort.value, keys);
  return (
    <div class="view whole modules">
      <div class="view-head">
        <h1>{modules.title}</h1>
        {all !== undefined && (
          <span class="quiet" role="status">
            {modules.shown(shown?.length ?? 0, all.length)}
          </span>
        )}
      </div>
      <PastNote />
      {all === undefined && error === undefined && <p class="quiet">{common.loading}</p>}
      {all === undefined && error !== undefined && <ProblemText error={error} />}
      {shown !== undefined && (
        <>
          <search class="modules-filter">
            <input
              type="search"
              aria-label={modules.filter}
              placeholder={modules.filter}
              defaultValue={text.value}
              onInput={(event) => setViewQuery({ text: event.currentTarget.value.trim() })}
            />
          </search>
          <LiveGrid
            label={modules.title}
            columns={columns}
            layout={layout}
            rows={rowsOf(shown, ({ name }) => name)}
            onOpen={({ name }) => go(`/modules/${name}`)}
            empty={all?.length === 0 ? <NoModules /> : modules.noMatch}
          />
        </>
      )}
    </div>
  );
}

function NoModules() {
  const { modules } = words.value;
  return (
    <>
      <p>{modules.none}</p>
      {may('configure') && <a href="/config/function-modules">{modules.configureFirst}</a>}
    </>
  );
}

function filtered(all: readonly LiveFunctionModule[], searched: string): readonly LiveFunctionModule[] {
  const wanted = searched.toLowerCase();
  return all.filter(({ name, status }) => `${name}\n${status ?? ''}`.toLowerCase().includes(wanted));
}

const urgency = { FAIL: 0, INIT: 1, STOP: 2, RUN: 3 } as const;

const keys: SortKeys<LiveFunctionModule> = {
  state: ({ state }) => urgency[state],
  name: ({ name }) => name,
  since: ({ since }) => -fromTimestamp(since),
  cpu: ({ cpu }) => cpu ?? -1,
  memory: ({ memory }) => memory ?? -1,
  restarts: ({ restarts }) => restarts,
  next: (module) => nextOf(module) ?? Number.MAX_VALUE,
};

function nextOf(module: LiveFunctionModule): number | undefined {
  const next = module['next-start'];
  return next === null ? undefined : fromTimestamp(next);
}

function moduleColumns(): readonly GridColumn<LiveFunctionModule>[] {
  const { common, modules } = words.value;
  const figure = { align: 'end', isSortable: true } as const;
  return [
    {
      key: 'name',
      title: common.name,
      width: 190,
      isSortable: true,
      isFixed: true,
      narrow: 'name',
      cell: ({ name }) => (
        <a href={`/modules/${name}`} tabIndex={-1} title={name}>
          {name}
        </a>
      ),
    },
    {
      key: 'state',
      title: common.state,
      width: 120,
      isSortable: true,
      narrow: 'value',
      cell: ({ state }) => <ModuleStateMark state={state} />,
    },
    {
      key: 'since',
      title: common.since,
      width: 70,
      ...figure,
      narrow: 'aside',
      cell: ({ since }) => <Since us={fromTimestamp(since)} />,
    },
    { key: 'cpu', title: modules.cpu, width: 110, ...figure, cell: ({ cpu }) => coresText(cpu) },
    { key: 'memory', title: modules.memory, width: 90, ...figure, cell: ({ memory }) => memoryText(memory) },
    {
      key: 'restarts',
      title: modules.restarts,
      width: 90,
      ...figure,
      cell: ({ restarts }) => (
        <span class={restarts > 0 ? 'modules-notable' : 'quiet'} title={modules.restartsWhy}>
          {countText(restarts)}
        </span>
      ),
    },
    {
      key: 'next',
      title: modules.nextStart,
      width: 160,
      isSortable: true,
      cell: (module) => <NextStart us={nextOf(module)} />,
    },
    {
      key: 'status',
      title: modules.status,
      width: 200,
      grows: true,
      narrow: 'note',
      cell: (module) => <Status module={module} />,
    },
  ];
}

function NextStart({ us }: { readonly us: number | undefined }) {
  return us === undefined ? null : <time title={momentText(us)}>{cellMomentText(us, now.value)}</time>;
}

/** What it says of itself; of one that has failed, why. */
function Status({ module }: { readonly module: LiveFunctionModule }) {
  const shown = printable((module.state === 'FAIL' ? module['last-error']?.text : module.status) ?? '');
  return <span title={shown}>{shown}</span>;
}
