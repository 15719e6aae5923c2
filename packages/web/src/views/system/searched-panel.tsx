// A table to search in, which is read when somebody opens it.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { typedInto } from '../../parts/fields.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { words } from '../../words/words.ts';

export interface SearchedPanelProps<Item> {
  readonly title: string;
  readonly what?: string;
  readonly read: (signal: AbortSignal) => Promise<readonly Item[]>;
  /** What is searched in. */
  readonly textOf: (item: Item) => string;
  readonly countText: (count: number) => string;
  /** The cells of the head, and of each row. */
  readonly head: ComponentChildren;
  readonly row: (item: Item) => ComponentChildren;
}

const mostShown = 300;

export function SearchedPanel<Item>(props: SearchedPanelProps<Item>) {
  const isOpen = useSignal(false);
  return (
    <section class="panel">
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <h2 class="system-inline">{props.title}</h2>
        </summary>
        {isOpen.value && <SearchedTable {...props} />}
      </details>
    </section>
  );
}

function SearchedTable<Item>({ what, read, textOf, countText, head, row }: SearchedPanelProps<Item>) {
  const { system, common } = words.value;
  const { value, error, again } = useRead(read, []);
  const filter = useSignal('');
  const parts = filter.value.toLowerCase().split(/\s+/);
  const found = (value ?? []).filter((item) => {
    const text = textOf(item).toLowerCase();
    return parts.every((part) => text.includes(part));
  });
  return (
    <>
      {what !== undefined && <p>{what}</p>}
      <div class="row">
        <input type="search" aria-label={common.filter} placeholder={common.filter} {...typedInto(filter)} />
        <span role="status">{countText(found.length)}</span>
        <button type="button" onClick={again}>
          {system.readAgain}
        </button>
      </div>
      <ReadState value={value} error={error} />
      <div class="scrolls">
        <table>
          <thead>
            <tr>{head}</tr>
          </thead>
          <tbody>{found.slice(0, mostShown).map(row)}</tbody>
        </table>
      </div>
      {found.length > mostShown && <p class="quiet">{common.partOf(String(mostShown), String(found.length))}</p>}
    </>
  );
}
