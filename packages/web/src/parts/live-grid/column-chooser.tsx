// The columns of a grid by choice: which, and in which order. It opens over the grid and works at once.
import { useId } from 'preact/hooks';
import { words } from '../../words/words.ts';
import { moved } from './grid-head.tsx';
import type { GridLayout } from './grid-layout.ts';

export interface ColumnChooserProps {
  readonly columns: readonly { readonly key: string; readonly title: string; readonly isFixed?: boolean }[];
  readonly layout: GridLayout;
}

export function ColumnChooser({ columns, layout }: ColumnChooserProps) {
  const { grid } = words.value;
  const id = useId();
  const shown = layout.columns.value;
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const rest = columns.filter(({ key }) => !shown.includes(key)).map(({ key }) => key);
  return (
    <>
      <button type="button" popovertarget={id}>
        {grid.columns}
      </button>
      <div id={id} popover="auto" class="column-chooser" role="dialog" aria-label={grid.columns}>
        <ul>
          {[...shown, ...rest].map((key, at) => {
            const { title = key, isFixed = false } = byKey.get(key) ?? {};
            const isShown = at < shown.length;
            const before = shown[at - 1];
            const after = shown[at + 1];
            return (
              <li key={key}>
                <label>
                  <input
                    type="checkbox"
                    checked={isShown}
                    disabled={isFixed}
                    onChange={() => layout.arrange(isShown ? shown.filter((each) => each !== key) : [...shown, key])}
                  />{' '}
                  {title}
                </label>
                <button
                  type="button"
                  class="plain"
                  aria-label={grid.earlier(title)}
                  disabled={!isShown || before === undefined}
                  onClick={() => before !== undefined && layout.arrange(moved(shown, key, before))}
                >
                  ↑
                </button>
                <button
                  type="button"
                  class="plain"
                  aria-label={grid.later(title)}
                  disabled={!isShown || after === undefined}
                  onClick={() => after !== undefined && layout.arrange(moved(shown, key, after))}
                >
                  ↓
                </button>
              </li>
            );
          })}
        </ul>
        <button type="button" onClick={() => layout.arrange(undefined)}>
          {grid.usual}
        </button>
      </div>
    </>
  );
}
