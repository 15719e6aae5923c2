// All connectors and providers: their states as they change, and how they do.
import { fromTimestamp, printable } from '@telltale/schema/values';
import { useMemo } from 'preact/hooks';
import { type LinkRow, readLinks } from '../../data/links.ts';
import { may } from '../../data/session.ts';
import { withState } from '../../data/watched-states.ts';
import { countText, rateText } from '../../parts/figure-text.ts';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { type GridColumn, rowsOf } from '../../parts/live-grid/grid-model.ts';
import { LiveGrid } from '../../parts/live-grid/live-grid.tsx';
import { PastNote } from '../../parts/past-note.tsx';
import { personText } from '../../parts/person-text.ts';
import { ProblemText } from '../../parts/problem-text.tsx';
import { Since } from '../../parts/since.tsx';
import { sortedBy } from '../../parts/sorted-by.ts';
import { momentText } from '../../parts/times.ts';
import { useRead } from '../../parts/use-read.ts';
import { useStates } from '../../parts/use-states.ts';
import { go, setViewQuery, viewQueryOf } from '../../router.ts';
import { words } from '../../words/words.ts';
import { filteredLinks, linkKeys } from './link-rows.ts';
import { LinkStateMark } from './link-state.tsx';

const everyMs = 2000;
const byState = { column: 'state', descending: false };
const [text, role, state] = ['text', 'role', 'state'].map((name) => viewQueryOf(name));

export function LinkList() {
  const { common, connectors } = words.value;
  const states = { connector: useStates('connector').value, provider: useStates('provider').value };
  const { value: read, error } = useRead(readLinks, [states.connector.size, states.provider.size], { everyMs });
  const columns = useMemo(linkColumns, [words.value]);
  const layout = useGridLayout('connectors', columns, byState);
  const filter = { text: text?.value ?? '', role: role?.value ?? '', state: state?.value ?? '' };
  const links = read?.map((link) => withState(link, states[link.role].get(link.name)));
  const shown = links && sortedBy(filteredLinks(links, filter), layout.sort.value, linkKeys);
  return (
    <div class="view whole links">
      <div class="view-head">
        <h1>{connectors.title}</h1>
        {links !== undefined && (
          <span class="quiet" role="status">
            {connectors.shown(shown?.length ?? 0, links.length)}
          </span>
        )}
      </div>
      <PastNote />
      {links === undefined && error === undefined && <p class="quiet">{common.loading}</p>}
      {links === undefined && error !== undefined && <ProblemText error={error} />}
      {shown !== undefined && (
        <>
          <Filters filter={filter} />
          <LiveGrid
            label={connectors.title}
            columns={columns}
            layout={layout}
            rows={rowsOf(shown, (link) => `${link.role} ${link.name}`)}
            onOpen={(link) => go(linkPath(link))}
            empty={links?.length === 0 ? <NoLinks /> : connectors.noMatch}
          />
        </>
      )}
    </div>
  );
}

export function linkPath({ role, name }: Pick<LinkRow, 'role' | 'name'>): string {
  return `/connectors/${name}${role === 'provider' ? '?role=provider' : ''}`;
}

function NoLinks() {
  const { connectors } = words.value;
  return (
    <>
      <p>{connectors.none}</p>
      {may('configure') && <a href="/config/connectors">{connectors.configureFirst}</a>}
    </>
  );
}

function Filters({ filter }: { readonly filter: Readonly<Record<'text' | 'role' | 'state', string>> }) {
  const { connectors } = words.value;
  return (
    <search class="links-filters">
      <input
        type="search"
        aria-label={connectors.filter}
        placeholder={connectors.filter}
        defaultValue={filter.text}
        onInput={(event) => setViewQuery({ text: event.currentTarget.value.trim() })}
      />
      <select
        aria-label={connectors.role}
        value={filter.role}
        onChange={(event) => setViewQuery({ role: event.currentTarget.value })}
      >
        <option value="">{connectors.anyRole}</option>
        {(['connector', 'provider'] as const).map((each) => (
          <option key={each} value={each}>
            {connectors.roles[each]}
          </option>
        ))}
      </select>
      <select
        aria-label={words.value.common.state}
        value={filter.state}
        onChange={(event) => setViewQuery({ state: event.currentTarget.value })}
      >
        <option value="">{connectors.anyState}</option>
        <option value="not-up">{connectors.notUp}</option>
        {(['up', 'connecting', 'down', 'failed', 'disabled'] as const).map((each) => (
          <option key={each} value={each}>
            {connectors.states[each]}
          </option>
        ))}
      </select>
    </search>
  );
}

function linkColumns(): readonly GridColumn<LinkRow>[] {
  const { common, connectors } = words.value;
  const count = (key: 'good' | 'uncertain' | 'bad'): GridColumn<LinkRow> => ({
    key,
    title: connectors[key],
    width: { good: 70, uncertain: 108, bad: 96 }[key],
    align: 'end',
    isSortable: true,
    cell: ({ points }) => <span class={points[key] === 0 ? 'quiet' : `links-${key}`}>{countText(points[key])}</span>,
  });
  return [
    {
      key: 'name',
      title: common.name,
      width: 150,
      isSortable: true,
      isFixed: true,
      narrow: 'name',
      cell: (link) => (
        <a href={linkPath(link)} tabIndex={-1} title={link.name}>
          {link.name}
        </a>
      ),
    },
    {
      key: 'state',
      title: common.state,
      width: 138,
      isSortable: true,
      narrow: 'value',
      cell: ({ state, devicesDown }) => <LinkStateMark state={state} devicesDown={devicesDown} />,
    },
    {
      key: 'since',
      title: common.since,
      width: 70,
      align: 'end',
      isSortable: true,
      narrow: 'aside',
      cell: ({ since }) => <Since us={fromTimestamp(since)} />,
    },
    { key: 'role', title: connectors.role, width: 94, isSortable: true, cell: ({ role }) => connectors.roles[role] },
    { key: 'stack', title: connectors.stack, width: 100, isSortable: true, cell: ({ stack }) => stack },
    {
      key: 'rate',
      title: connectors.rate,
      width: 100,
      align: 'end',
      isSortable: true,
      cell: (link) => rateText(link['values-per-second']),
    },
    count('good'),
    count('uncertain'),
    count('bad'),
    {
      key: 'error',
      title: connectors.lastError,
      width: 120,
      grows: true,
      narrow: 'note',
      cell: (link) => <LastError link={link} />,
    },
  ];
}

/** Of a link that is up, it is of the past. */
function LastError({ link }: { readonly link: LinkRow }) {
  const { disabled } = link;
  const error = link['last-error'];
  if (disabled !== null) {
    const by = words.value.connectors.disabledBy(personText(disabled.by), momentText(fromTimestamp(disabled.t)));
    return <span title={by}>{printable(disabled.reason ?? by)}</span>;
  }
  if (error === null) return null;
  const shown = printable(error.text);
  return (
    <span class={link.state === 'up' ? 'quiet' : undefined} title={`${momentText(fromTimestamp(error.t))} ${shown}`}>
      {shown}
    </span>
  );
}
