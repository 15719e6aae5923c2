// All objects of a family as a table: filtered, sorted, edited in place, pasted, copied, and saved as one transaction.
import { useComputed, useSignal } from '@preact/signals';
import { type Family, familyNames } from '@telltale/schema/values';
import { useEffect, useMemo } from 'preact/hooks';
import { canRename, configurationTurn, downloads, readObjects } from '../../data/configuration.ts';
import { type FamilyFields, type Field, fieldOfColumn, readFields } from '../../data/fields.ts';
import { may } from '../../data/session.ts';
import { useKeys } from '../../parts/keys.ts';
import { ColumnChooser } from '../../parts/live-grid/column-chooser.tsx';
import { useGridLayout } from '../../parts/live-grid/grid-layout.ts';
import { type GridKey, indexOfKey, rowsOf } from '../../parts/live-grid/grid-model.ts';
import { GridState } from '../../parts/live-grid/grid-state.ts';
import { notify } from '../../parts/notices.tsx';
import { ProblemText } from '../../parts/problem-text.tsx';
import { titleOf } from '../../parts/schema-form/typed-text.ts';
import { useRead } from '../../parts/use-read.ts';
import { go, setViewQuery, viewQueryOf } from '../../router.ts';
import { words } from '../../words/words.ts';
import { draftOf, isNew, type Objects, type PlacedFault, type RowKey } from './draft.ts';
import { DraftBar } from './draft-bar.tsx';
import { EditTable } from './edit-table.tsx';
import { BulkDialog, PasteDialog } from './family-dialogs.tsx';
import { CopyDialog, DeleteDialog, RenameDialog } from './object-dialogs.tsx';
import { paste } from './paste.ts';
import { allColumns, isUsual, shownRows } from './rows.ts';
import { UploadDialog } from './upload-dialog.tsx';

export function FamilyView({ family }: { readonly family: Family }) {
  const { common, config } = words.value;
  const turn = configurationTurn.value;
  const fields = useRead(() => readFields(family), [family]);
  const objects = useRead((signal) => readObjects(family, signal), [family, turn]);
  const draft = draftOf(family);
  useEffect(() => draft.dropSaved(), [objects.value]);
  const error = fields.error ?? objects.error;
  if (fields.value === undefined || objects.value === undefined) {
    return (
      <div class="view">
        <FamilyHead family={family} />
        {error === undefined ? <p class="quiet">{common.loading}</p> : <ProblemText error={error} />}
        {error !== undefined && (
          <p>
            <button
              type="button"
              onClick={() => {
                fields.again();
                objects.again();
              }}
            >
              {common.retry}
            </button>
          </p>
        )}
      </div>
    );
  }
  return (
    <div class="view whole">
      <FamilyHead family={family} count={objects.value.size} />
      {error !== undefined && <ProblemText error={error} />}
      <FamilyTable family={family} fields={fields.value} objects={objects.value} />
      {objects.isLoading && <span class="hidden-text">{config.reading}</span>}
    </div>
  );
}

function FamilyHead({ family, count }: { readonly family: Family; readonly count?: number }) {
  const { config } = words.value;
  return (
    <div class="view-head">
      <h1>
        <a href="/config">{config.title}</a> / {config.families[family]}
      </h1>
      {count !== undefined && <span class="quiet">{config.objects(count)}</span>}
      <nav class="config-families" aria-label={config.families.title}>
        {familyNames
          .filter((each) => each !== family)
          .map((each) => (
            <a key={each} href={`/config/${each}`}>
              {config.families[each]}
            </a>
          ))}
      </nav>
    </div>
  );
}

type Opened = 'bulk' | 'paste' | 'delete' | 'rename' | 'copy' | 'upload';

interface FamilyTableProps {
  readonly family: Family;
  readonly fields: FamilyFields;
  readonly objects: Objects;
}

function FamilyTable({ family, fields, objects }: FamilyTableProps) {
  const { common, config } = words.value;
  const draft = draftOf(family);
  const turn = draft.turn.value;
  const typed = [...new Set(draft.keys.flatMap((key) => draft.columnsOf(key)))].join('\n');
  const all = useMemo(() => {
    const found = allColumns(family, fields, objects);
    const keys = new Set(found.map(({ key }) => key));
    const others = typed.split('\n').filter((column) => !keys.has(column));
    return [...found, ...others.flatMap((column) => fieldOfColumn(fields.byKey, column) ?? [])];
  }, [family, fields, objects, typed]);
  const arranged = useMemo(
    () => all.map((field) => ({ ...field, title: titleOf(field), isFixed: field.key === 'name' })),
    [all, words.value],
  );
  const layoutColumns = useMemo(() => layoutOf(family, all), [family, all]);
  const layout = useGridLayout(`config.${family}`, layoutColumns);
  const filter = viewQueryOf('filter').value;
  const only = viewQueryOf('only').value;
  const sort = layout.sort.value;
  const selection = useSignal<ReadonlySet<GridKey>>(new Set());
  const state = useMemo(() => new GridState<RowKey>(selection), [family]);
  const opened = useSignal<Opened | undefined>(undefined);
  const unknown = useSignal<readonly string[]>([]);
  const added = draft.added.join();
  const keys = useMemo(
    () => shownRows(draft, objects, { filter, only, sort }),
    [objects, filter, only, sort, added, only === '' ? 0 : turn],
  );
  const rows = useMemo(() => rowsOf(keys, (key) => key), [keys]);
  const isEditable = may('configure');
  const selected = useComputed(() => keys.filter((key) => selection.value.has(key))).value;
  const saved = selected.filter((key) => !isNew(key));
  const one = selected.length === 1 ? saved[0] : undefined;
  const close = () => {
    opened.value = undefined;
  };
  const open = (which: Opened) => () => {
    opened.value = which;
  };
  const form = (key: RowKey) =>
    go(isNew(key) ? `/config/${family}?new=${encodeURIComponent(key.slice(1))}` : `/config/${family}/${key}`);
  const add = () => {
    const key = draft.add();
    // What a connector has depends on its stack: it is made by its form.
    if (state.isNarrow.peek() || fields.byKey.has('stackName')) form(key);
    else focusGrid();
  };
  const known = (heading: string) => knownField(all, fields, heading);
  const take = (text: string): boolean => {
    const columns = state.columns.peek().flatMap(({ key }) => all.find((field) => field.key === key) ?? []);
    const { row, column } = state.cursor.peek();
    const at = { row: Math.max(0, row), column };
    const found = paste(draft, text, { rows: keys, columns, known, objects, at, selected: new Set(selected) });
    unknown.value = found.unknown;
    if (found.unknown.length > 0) opened.value = 'paste';
    else notify(config.pasted(found.rows));
    return found.unknown.length === 0;
  };
  const show = ({ key, column }: PlacedFault) => {
    if (filter !== '' || only !== '') setViewQuery({ filter: undefined, only: undefined });
    const shown = layout.columns.peek();
    if (!shown.includes(column) && all.some((field) => field.key === column)) layout.arrange([...shown, column]);
    // The grid has its rows and columns when it has been drawn.
    setTimeout(() => {
      const index = indexOfKey(state.rows.peek(), key);
      const at = state.columns.peek().findIndex((each) => each.key === column);
      if (index >= 0) state.moveTo(index, { column: Math.max(0, at) });
      focusGrid();
    });
  };
  useKeys(
    () => [
      {
        key: '/',
        text: words.value.shell.keys.filter,
        run: () => document.querySelector<HTMLElement>('.config-filter')?.focus(),
      },
    ],
    [],
  );
  return (
    <>
      <div class="row config-tools">
        <input
          type="search"
          class="config-filter"
          aria-label={common.filter}
          placeholder={config.filterHint}
          value={filter}
          onInput={(event) => setViewQuery({ filter: event.currentTarget.value })}
        />
        <span class="quiet" role="status">
          {keys.length === objects.size ? '' : config.shown(keys.length)}
        </span>
        {draft.keys.length > 0 && (
          <button
            type="button"
            aria-pressed={only === 'changed'}
            onClick={() => setViewQuery({ only: only === 'changed' ? undefined : 'changed' })}
          >
            ✎ {config.changedOnly}
          </button>
        )}
        {draft.faults.length > 0 && (
          <button
            type="button"
            aria-pressed={only === 'faulty'}
            onClick={() => setViewQuery({ only: only === 'faulty' ? undefined : 'faulty' })}
          >
            ✕ {config.faultyOnly(draft.faults.length)}
          </button>
        )}
        <span class="grow" />
        {!isEditable && <span class="quiet">{common.mayNot('configure')}</span>}
        {isEditable && selected.length > 0 && (
          <>
            <span class="quiet">{words.value.grid.selected(selected.length)}</span>
            <button type="button" onClick={open('bulk')}>
              {config.bulk}
            </button>
            {one !== undefined && (
              <button type="button" onClick={open('copy')}>
                {common.copy}
              </button>
            )}
            {one !== undefined && canRename(family) && (
              <button type="button" onClick={open('rename')}>
                {config.rename}
              </button>
            )}
            <button
              type="button"
              onClick={() => {
                draft.drop(selected.filter(isNew));
                if (saved.length > 0) opened.value = 'delete';
              }}
            >
              {common.delete}
            </button>
          </>
        )}
        {isEditable && (
          <>
            <button type="button" onClick={add}>
              {config.add}
            </button>
            <button type="button" onClick={open('paste')}>
              {config.pasteMore}
            </button>
            <button type="button" onClick={open('upload')}>
              {config.upload}
            </button>
          </>
        )}
        <a class="button" href={downloads.table(family, 'csv')} download={`${family}.csv`}>
          CSV
        </a>
        <a class="button" href={downloads.table(family, 'xlsx')} download={`${family}.xlsx`}>
          XLSX
        </a>
        <ColumnChooser columns={arranged} layout={layout} />
      </div>
      <EditTable
        label={config.families[family]}
        rows={rows}
        fields={all}
        layout={layout}
        draft={draft}
        objects={objects}
        state={state}
        selection={selection}
        isEditable={isEditable}
        empty={objects.size > 0 ? config.noMatch : isEditable ? config.noObjects : common.none}
        onForm={form}
        onPaste={take}
      />
      <DraftBar draft={draft} keys={draft.keys} onFault={show} />
      {opened.value === 'bulk' && (
        <BulkDialog draft={draft} objects={objects} fields={all} keys={selected} onClose={close} />
      )}
      {opened.value === 'paste' && (
        <PasteDialog
          columns={shownFields(all, layout.columns.value)}
          unknown={unknown}
          onPaste={take}
          onClose={close}
        />
      )}
      {opened.value === 'upload' && <UploadDialog family={family} onClose={close} />}
      {opened.value === 'delete' && (
        <DeleteDialog
          family={family}
          names={saved}
          onClose={close}
          onDone={() => {
            draft.drop(saved);
            selection.value = new Set();
          }}
        />
      )}
      {opened.value === 'rename' && one !== undefined && (
        <RenameDialog
          family={family}
          name={one}
          onClose={close}
          onDone={(to) => {
            selection.value = new Set([to]);
          }}
        />
      )}
      {opened.value === 'copy' && one !== undefined && (
        <CopyDialog
          family={family}
          name={one}
          onClose={close}
          onDone={(to) => {
            selection.value = new Set([to]);
          }}
        />
      )}
    </>
  );
}

function focusGrid(): void {
  document.querySelector<HTMLElement>('.edit-table .grid-scroll')?.focus();
}

function layoutOf(family: Family, all: readonly Field[]) {
  return all.map(({ key }) => ({ key, isFixed: key === 'name', isExtra: !isUsual(family, key) }));
}

function shownFields(all: readonly Field[], keys: readonly string[]): Field[] {
  return keys.flatMap((key) => all.find((field) => field.key === key) ?? []);
}

/** As tables have it, or as it is called on this page; a key of a map that no object has yet, too. */
function knownField(all: readonly Field[], { byKey }: FamilyFields, heading: string): Field | undefined {
  const wanted = heading.toLowerCase();
  const found = all.find((field) => field.key.toLowerCase() === wanted || titleOf(field).toLowerCase() === wanted);
  return found ?? fieldOfColumn(byKey, heading);
}
