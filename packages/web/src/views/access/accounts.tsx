// A table of what has a name and can be made, changed and deleted: users, roles, tokens, groups, certificates.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notices.tsx';
import { useRead } from '../../parts/use-read.ts';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';
import { AccessProblem } from './access-problem.tsx';

/** Who looks for others has the filter. */
const mostShown = 300;

export interface AccountColumn<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ComponentChildren;
}

export interface AccountsProps<Item> {
  readonly title: string;
  readonly why: string;
  readonly read: (signal: AbortSignal) => Promise<readonly Item[]>;
  readonly keyOf: (item: Item) => string;
  readonly columns: readonly AccountColumn<Item>[];
  readonly empty: string;
  /** Where one can be made: the text of the button. */
  readonly add?: string | undefined;
  /** What makes one (undefined) or changes one. */
  readonly editor?: (item: Item | undefined, done: () => void, close: () => void) => ComponentChildren;
  readonly isEditable?: boolean;
  readonly remove: {
    readonly word: string;
    readonly ask: (item: Item) => string;
    readonly run: (item: Item) => Promise<void>;
  };
  readonly more?: (item: Item, again: () => void) => ComponentChildren;
}

export function Accounts<Item>(props: AccountsProps<Item>) {
  const { title, why, read, keyOf, columns, empty, add, editor, isEditable = true, remove, more } = props;
  const { access, common } = words.value;
  const { value, error, again } = useRead(read, []);
  const filter = useSignal('');
  const edited = useSignal<{ readonly item: Item | undefined } | undefined>(undefined);
  const removed = useSignal<Item | undefined>(undefined);
  const close = () => (edited.value = undefined);
  const wanted = filter.value.trim().toLowerCase();
  const found = (value ?? []).filter((item) => JSON.stringify(item).toLowerCase().includes(wanted));
  return (
    <section class="panel">
      <div class="view-head">
        <h2>{title}</h2>
        <input
          type="search"
          aria-label={common.filter}
          placeholder={common.filter}
          value={filter.value}
          onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
        />
        <span class="grow" />
        {add !== undefined && (
          <button type="button" onClick={() => (edited.value = { item: undefined })}>
            {add}
          </button>
        )}
      </div>
      <p class="quiet">{why}</p>
      {error !== undefined && (
        <div class="row">
          <AccessProblem error={error} />
          <button type="button" onClick={again}>
            {common.retry}
          </button>
        </div>
      )}
      {value === undefined && error === undefined && <p class="quiet">{common.loading}</p>}
      {value !== undefined && found.length === 0 && <p>{empty}</p>}
      {found.length > 0 && (
        <div class="scrolls">
          <table>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column.title} scope="col">
                    {column.title}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {found.slice(0, mostShown).map((item) => (
                <tr key={keyOf(item)}>
                  {columns.map((column, at) =>
                    at === 0 ? (
                      <th key={column.title} scope="row">
                        <bdi>{column.cell(item)}</bdi>
                      </th>
                    ) : (
                      <td key={column.title}>{column.cell(item)}</td>
                    ),
                  )}
                  <td class="access-actions">
                    {editor !== undefined && isEditable && (
                      <button
                        type="button"
                        aria-label={access.editOf(keyOf(item))}
                        onClick={() => (edited.value = { item })}
                      >
                        {common.edit}
                      </button>
                    )}
                    {more?.(item, again)}
                    <button
                      type="button"
                      aria-label={access.removeOf(remove.word, keyOf(item))}
                      onClick={() => (removed.value = item)}
                    >
                      {remove.word}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.length > mostShown && <p class="quiet">{common.partOf(String(mostShown), String(found.length))}</p>}
      {edited.value !== undefined &&
        editor?.(
          edited.value.item,
          () => {
            close();
            again();
          },
          close,
        )}
      {removed.value !== undefined && (
        <Confirm
          title={remove.ask(removed.value)}
          word={remove.word}
          run={() => remove.run(removed.value as Item)}
          onDone={again}
          onClose={() => (removed.value = undefined)}
        />
      )}
    </section>
  );
}

export interface ConfirmProps {
  readonly title: string;
  readonly word: string;
  readonly run: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Asks once, and says why it was refused. */
export function Confirm({ title, word, run, onDone, onClose, children }: ConfirmProps) {
  const { access, common } = words.value;
  const task = useTask();
  const confirm = async () => {
    if (!(await task.run(run))) return;
    notify(access.done);
    onClose();
    onDone();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="button" class="main" disabled={task.isUnderway} onClick={() => void confirm()}>
            {word}
          </button>
        </>
      }
    >
      {children ?? <p>{access.sure}</p>}
      {task.error !== undefined && <AccessProblem error={task.error} />}
    </Dialog>
  );
}
