// All sites of a centre: whether each is there, and what of its archive the centre has not.
import { useMemo } from 'preact/hooks';
import { readSites } from '../../data/sites.ts';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { rowsOf } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { PastNote } from '../../parts/past-note.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { sortedBy } from '../../parts/sorted-by.ts';
import { useRead } from '../../parts/use-read.ts';
import { setViewQuery, viewQueryOf } from '../../router.ts';
import { words } from '../../words/words.ts';
import { siteAddress, siteColumns } from './site-columns.tsx';
import { conditionOf, conditions, filteredSites, type SiteFilter, siteKeys } from './site-rows.ts';

const everyMs = 3000;
const byState = { column: 'state', descending: false };
const [text, state] = ['text', 'state'].map((name) => viewQueryOf(name));

export default function SitesView() {
  const { common, shell, sites } = words.value;
  const { value, error } = useRead(readSites, [], { everyMs });
  const columns = useMemo(siteColumns, [words.value]);
  const layout = useGridLayout('sites', columns, byState);
  const filter = { text: text?.value ?? '', condition: state?.value ?? '' };
  const shown = value && sortedBy(filteredSites(value, filter), layout.sort.value, siteKeys);
  const notWell = value?.filter((site) => conditionOf(site) !== 'up').length ?? 0;
  return (
    <div class="view whole">
      <div class="view-head">
        <h1>{shell.views.sites}</h1>
        {value !== undefined && shown !== undefined && (
          <span class="quiet" role="status">
            {common.of(shown.length, value.length)}
            {notWell > 0 && (
              <b class="sites-wrong">
                {' '}
                · {notWell} {sites.notUp}
              </b>
            )}
          </span>
        )}
      </div>
      <PastNote />
      {value === undefined && <ReadState value={value} error={error} />}
      {shown !== undefined && (
        <>
          <Filters filter={filter} />
          <LiveGrid
            label={shell.views.sites}
            columns={columns}
            layout={layout}
            rows={rowsOf(shown, ({ id }) => id)}
            onOpen={(site) => globalThis.location.assign(siteAddress(site))}
            empty={value?.length === 0 ? <NoSites /> : sites.noMatch}
          />
        </>
      )}
    </div>
  );
}

function NoSites() {
  const { sites } = words.value;
  return (
    <>
      <p>{sites.none}</p>
      <a href="/docs/guides/sites.md">{words.value.system.docs}</a>
    </>
  );
}

function Filters({ filter }: { readonly filter: SiteFilter }) {
  const { common, connectors, sites } = words.value;
  return (
    <search class="links-filters">
      <input
        type="search"
        aria-label={sites.filter}
        placeholder={sites.filter}
        defaultValue={filter.text}
        onInput={(event) => setViewQuery({ text: event.currentTarget.value.trim() })}
      />
      <select
        aria-label={common.state}
        value={filter.condition}
        onChange={(event) => setViewQuery({ state: event.currentTarget.value })}
      >
        <option value="">{connectors.anyState}</option>
        <option value="not-up">{sites.notUp}</option>
        {conditions.map((each) => (
          <option key={each} value={each}>
            {sites.conditions[each]}
          </option>
        ))}
      </select>
    </search>
  );
}
