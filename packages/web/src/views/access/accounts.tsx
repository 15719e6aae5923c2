// A table of what has a name and can be made, changed and deleted: users, roles, tokens, groups, certificates.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { typedInto } from '../../parts/fields.tsx';
import { FormDialog, type FormDialogProps } from '../../parts/form-dialog.tsx';
import { notify } from '../../parts/notices.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

/** Who looks for others has the filter. */
const mostShown = 300;

export interface AccountColumn<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ComponentChildren;
}

/** What ends a dialog. */
export type Ends = Required<Pick<FormDialogProps, 'onDone' | 'onClose'>>;

export interface AccountsProps<Item> {
  readonly title: string;
  readonly why: string;
  readonly read: (signal: AbortSignal) => Promise<readonly Item[] | Readonly<Record<string, Item>>>;
  readonly keyOf: (item: Item) => string;
  readonly columns: readonly AccountColumn<Item>[];
  /** Where one can be made: the text of the button. */
  readonly add?: string | undefined;
  /** What makes one (undefined) or changes one. */
  readonly editor?: (item: Item | undefined, ends: Ends) => ComponentChildren;
  readonly isEditable?: boolean;
  readonly remove: {
    readonly word?: string;
    readonly ask: (item: Item) => string;
    readonly run: (item: Item) => Promise<void>;
  };
  readonly more?: (item: Item, again: () => void) => ComponentChildren;
}

export function Accounts<Item>(props: AccountsProps<Item>) {
  const { title, why, read, keyOf, columns, add, editor, isEditable = true, remove, more } = props;
  const { access, common } = words.value;
  const { value, error, again } = useRead(read, []);
  const filter = useSignal('');
  const edited = useSignal<{ readonly item: Item | undefined } | undefined>(undefined);
  const removed = useSignal<Item | undefined>(undefined);
  const close = () => (edited.value = undefined);
  const wanted = filter.value.trim().toLowerCase();
  const all: readonly Item[] = Object.values(value ?? {});
  const found = all.filter((item) => JSON.stringify(item).toLowerCase().includes(wanted));
  const { word = common.delete } = remove;
  return (
    <section class="panel">
      <div class="view-head">
        <h2>{title}</h2>
        <input type="search" aria-label={common.filter} placeholder={common.filter} {...typedInto(filter)} />
        <span class="grow" />
        {add !== undefined && (
          <button type="button" onClick={() => (edited.value = { item: undefined })}>
            {add}
          </button>
        )}
      </div>
      <p class="quiet">{why}</p>
      <ReadState value={value} error={error} again={again} />
      {value !== undefined && found.length === 0 && <p>{access.none}</p>}
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
                      aria-label={access.removeOf(word, keyOf(item))}
                      onClick={() => (removed.value = item)}
                    >
                      {word}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.length > mostShown && <p class="quiet">{common.partOf(String(mostShown), String(found.length))}</p>}
      {edited.value !== undefined && editor?.(edited.value.item, { onDone: again, onClose: close })}
      {removed.value !== undefined && (
        <Confirm
          title={remove.ask(removed.value)}
          action={word}
          run={() => remove.run(removed.value as Item)}
          onDone={again}
          onClose={() => (removed.value = undefined)}
        >
          <p>{access.sure}</p>
        </Confirm>
      )}
    </section>
  );
}

/** Says when it is done. */
export function Confirm({ run, ...dialog }: FormDialogProps) {
  const confirm = async () => {
    await run();
    notify(words.peek().access.done);
  };
  return <FormDialog {...dialog} run={confirm} />;
}
