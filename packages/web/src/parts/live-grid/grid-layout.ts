// How somebody has arranged a grid: columns, their order and width, and by what it is sorted. Columns and order are in the
// address, so that a link shows the same; what was chosen last is kept for this browser.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { setViewQuery, viewQueryOf } from '../../router.ts';
import { keepText, keptText } from '../../settings.ts';

export interface GridSort {
  readonly column: string;
  readonly descending: boolean;
}

/** The part of a column that its arrangement depends on. */
interface ArrangedColumn {
  readonly key: string;
  /** Not among those that are shown as long as nobody chooses. */
  readonly isExtra?: boolean;
  readonly isFixed?: boolean;
}

export interface GridLayout {
  readonly columns: ReadonlySignal<readonly string[]>;
  readonly widths: Signal<Readonly<Record<string, number>>>;
  readonly sort: ReadonlySignal<GridSort | undefined>;
  /** Keys of columns in their order; undefined: as at first. */
  readonly arrange: (columns: readonly string[] | undefined) => void;
  readonly sortBy: (sort: GridSort | undefined) => void;
  readonly resize: (column: string, width: number) => void;
}

interface Kept {
  readonly columns?: readonly string[];
  readonly widths?: Readonly<Record<string, number>>;
}

const minWidth = 40;
const maxWidth = 1200;

/** `id` is the name under which the browser keeps it; the address has `columns` and `sort`. */
export function useGridLayout(id: string, columns: readonly ArrangedColumn[], otherwise?: GridSort): GridLayout {
  const keys = columns.map(({ key }) => key).join();
  return useMemo(() => gridLayout(id, columns, otherwise), [id, keys, otherwise?.column, otherwise?.descending]);
}

function gridLayout(id: string, all: readonly ArrangedColumn[], otherwise: GridSort | undefined): GridLayout {
  const key = `grid.${id}`;
  const kept = signal(readKept(keptText(key)));
  const keep = (changes: Kept) => {
    kept.value = { ...kept.peek(), ...changes };
    keepText(key, JSON.stringify(kept.peek()));
  };
  const usual = all.filter(({ isExtra }) => isExtra !== true).map((each) => each.key);
  const inAddress = viewQueryOf('columns');
  const sortText = viewQueryOf('sort');
  const widths = signal(kept.peek().widths ?? {});
  return {
    columns: computed(() => {
      const wanted = inAddress.value !== '' ? inAddress.value.split(',') : (kept.value.columns ?? usual);
      return known(all, wanted, usual);
    }),
    widths,
    sort: computed(() => sortOf(all, sortText.value) ?? otherwise),
    arrange: (chosen) => {
      const { columns: _, ...rest } = kept.peek();
      if (chosen === undefined) {
        kept.value = rest;
        keepText(key, JSON.stringify(rest));
      } else {
        keep({ columns: chosen });
      }
      setViewQuery({ columns: chosen?.join() });
    },
    sortBy: (sort) => setViewQuery({ sort: sort && `${sort.descending ? '-' : ''}${sort.column}` }),
    resize: (column, width) => {
      widths.value = { ...widths.peek(), [column]: Math.round(Math.max(minWidth, Math.min(maxWidth, width))) };
      keep({ widths: widths.peek() });
    },
  };
}

/** Without those that there are no more, each once, and with those that cannot be left out. */
function known(all: readonly ArrangedColumn[], wanted: readonly string[], usual: readonly string[]): string[] {
  const fixed = all.filter(({ isFixed }) => isFixed === true).map(({ key }) => key);
  const keys = new Set(all.map(({ key }) => key));
  const found = [...new Set(wanted)].filter((key) => keys.has(key));
  if (found.length === 0) return [...usual];
  return [...fixed.filter((key) => !found.includes(key)), ...found];
}

/** Undefined where there is no such column. */
function sortOf(all: readonly ArrangedColumn[], text: string): GridSort | undefined {
  const descending = text.startsWith('-');
  const column = descending ? text.slice(1) : text;
  return all.some(({ key }) => key === column) ? { column, descending } : undefined;
}

/** What a former version, or somebody else, has kept may be anything. */
function readKept(text: string | null): Kept {
  try {
    const { columns, widths } = JSON.parse(text ?? '{}') as Partial<Record<keyof Kept, unknown>>;
    const isWidth = (entry: [string, unknown]): entry is [string, number] => typeof entry[1] === 'number';
    return {
      ...(Array.isArray(columns) && { columns: columns.filter((each) => typeof each === 'string') }),
      ...(typeof widths === 'object' &&
        widths !== null && { widths: Object.fromEntries(Object.entries(widths).filter(isWidth)) }),
    };
  } catch {
    return {};
  }
}
