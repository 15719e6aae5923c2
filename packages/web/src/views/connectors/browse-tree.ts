// What is open of the tree of a device: each level is read when somebody opens it, a page at a time.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type BrowsedItem, browseLevel } from '../../data/browse.ts';

/** One line of the tree as it is seen. */
export type TreeRow =
  | {
      readonly kind: 'item';
      readonly key: string;
      readonly depth: number;
      readonly item: BrowsedItem;
      readonly isOpen: boolean;
    }
  | { readonly kind: 'more'; readonly key: string; readonly depth: number; readonly level: string }
  | { readonly kind: 'loading'; readonly key: string; readonly depth: number }
  | { readonly kind: 'empty'; readonly key: string; readonly depth: number }
  | { readonly kind: 'error'; readonly key: string; readonly depth: number; readonly error: unknown };

interface Level {
  readonly path: string | undefined;
  items: readonly BrowsedItem[];
  cursor: string | null;
  isLoading: boolean;
  error: unknown;
  isOpen: boolean;
}

const root = '';

export class BrowseTree {
  readonly #connector: string;
  readonly #levels = new Map<string, Level>();
  readonly #shown: Signal<readonly TreeRow[]> = signal([]);
  readonly #end = new AbortController();

  constructor(connector: string) {
    this.#connector = connector;
    this.#open(root, undefined);
  }

  /** In the order in which they are seen. */
  readonly rows: ReadonlySignal<readonly TreeRow[]> = this.#shown;

  close(): void {
    this.#end.abort();
  }

  toggle(row: TreeRow): void {
    if (row.kind === 'item' && row.item.path !== null) {
      const level = this.#levels.get(row.key);
      if (level === undefined) this.#open(row.key, row.item.path);
      else {
        level.isOpen = !level.isOpen;
        if (level.isOpen && level.error !== undefined) void this.#read(level);
      }
      this.#show();
    }
    if (row.kind === 'more') {
      const level = this.#levels.get(row.level);
      if (level !== undefined) void this.#read(level);
    }
  }

  /** From the top: what was configured meanwhile is no longer offered. */
  again(): void {
    this.#levels.clear();
    this.#open(root, undefined);
  }

  #open(key: string, path: string | undefined): void {
    const level: Level = { path, items: [], cursor: null, isLoading: false, error: undefined, isOpen: true };
    this.#levels.set(key, level);
    void this.#read(level);
  }

  async #read(level: Level): Promise<void> {
    if (level.isLoading) return;
    level.isLoading = true;
    level.error = undefined;
    this.#show();
    const { signal } = this.#end;
    const { path, cursor } = level;
    try {
      const page = await browseLevel(this.#connector, {
        ...(path !== undefined && { path }),
        ...(cursor !== null && { cursor }),
        signal,
      });
      level.items = [...level.items, ...page.items];
      level.cursor = page.cursor;
    } catch (error) {
      level.error = error;
    }
    level.isLoading = false;
    if (!signal.aborted) this.#show();
  }

  #show(): void {
    const rows: TreeRow[] = [];
    this.#add(rows, root, 0);
    this.#shown.value = rows;
  }

  #add(rows: TreeRow[], key: string, depth: number): void {
    const level = this.#levels.get(key);
    if (level?.isOpen !== true) return;
    level.items.forEach((item, at) => {
      const own = `${key}/${at}`;
      rows.push({ kind: 'item', key: own, depth, item, isOpen: this.#levels.get(own)?.isOpen === true });
      this.#add(rows, own, depth + 1);
    });
    if (level.isLoading) rows.push({ kind: 'loading', key: `${key}/loading`, depth });
    else if (level.error !== undefined) rows.push({ kind: 'error', key: `${key}/error`, depth, error: level.error });
    else if (level.cursor !== null) rows.push({ kind: 'more', key: `${key}/more`, depth, level: key });
    else if (level.items.length === 0) rows.push({ kind: 'empty', key: `${key}/empty`, depth });
  }
}
