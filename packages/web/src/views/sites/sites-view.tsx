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
import { conditionOf, filteredSites, siteKeys } from './site-rows.ts';

const everyMs = 3000;
const byState = { column: 'state', descending: false };
const text = viewQueryOf('text');

export default function SitesView() {
  const { common, shell, sites } = words.value;
  const { value, error } = useRead(readSites, [], { everyMs });
  const columns = useMemo(siteColumns, [words.value]);
  const layout = useGridLayout('sites', columns, byState);
  const shown = value && sortedBy(filteredSites(value, text.value), layout.sort.value, siteKeys);
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
          <search class="links-filters">
            <input
              type="search"
              aria-label={sites.filter}
              placeholder={sites.filter}
              defaultValue={text.value}
              onInput={(event) => setViewQuery({ text: event.currentTarget.value.trim() })}
            />
          </search>
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
