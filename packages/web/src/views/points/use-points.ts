// Which points the list shows, and in which order: what the address asks for, over the list, what is watched, and what was
// read to sort by.
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { isBad, isUncertain, quality } from '@telltale/schema/values';
import { useEffect, useMemo } from 'preact/hooks';
import { moment } from '../../data/moment.ts';
import { followPointList, type PointList, pointList } from '../../data/point-list.ts';
import { readSnapshot, type Snapshot } from '../../data/snapshot.ts';
import { type WatchedNames, watchNames } from '../../data/watched-names.ts';
import type { GridLayout } from '../../parts/live-grid/grid-layout.ts';
import type { GridRows } from '../../parts/live-grid/grid-model.ts';
import { now } from '../../parts/now.ts';
import { viewPlace } from '../../router.ts';
import { filtered, filterFields, type LiveNames, type PointFilter } from './point-filter.ts';
import { isLiveColumn, nameRanks, orderOf, sortNumbers } from './point-order.ts';

export interface ShownPoints {
  readonly rows: ReadonlySignal<GridRows<number>>;
  readonly filter: ReadonlySignal<PointFilter>;
  /** What the rows are sorted by, where that is a value, and when it was read. */
  readonly snapshot: ReadonlySignal<Snapshot | undefined>;
  readonly snapshotError: ReadonlySignal<unknown>;
  /** Reads the values that the rows are sorted by once more. */
  readonly again: () => void;
}

export function usePoints(layout: GridLayout): ShownPoints {
  const points = useMemo(() => new PointsModel(layout), [layout]);
  useEffect(() => points.start(), [points]);
  return points;
}

class PointsModel implements ShownPoints {
  readonly #layout: GridLayout;
  readonly snapshot = signal<Snapshot | undefined>(undefined);
  readonly snapshotError = signal<unknown>(undefined);
  readonly #turn = signal(0);
  readonly #watched = signal<LiveNames>({ bad: undefined, uncertain: undefined, simulated: undefined });

  readonly filter: ReadonlySignal<PointFilter> = computed(() => {
    const { query } = viewPlace.value;
    return Object.fromEntries(filterFields.map((field) => [field, query.get(field) ?? ''])) as unknown as PointFilter;
  });
  /** The same text for the same filter: what is watched depends on no more. */
  readonly #wanted = computed(() => {
    const { quality: word, forced } = this.filter.value;
    const bad = word === 'bad' || word === 'good';
    return { bad, uncertain: word === 'uncertain' || word === 'good', simulated: forced !== '' };
  });
  readonly #wantedKey = computed(() => JSON.stringify(this.#wanted.value));
  readonly #sortsByValue = computed(() => {
    const sort = this.#layout.sort.value;
    return sort !== undefined && isLiveColumn(sort.column);
  });

  readonly #list = computed(() => pointList.value.list);
  readonly #ranks = computed(() => (this.#list.value === undefined ? undefined : nameRanks(this.#list.value)));
  readonly #order = computed(() => {
    const list = this.#list.value;
    const ranks = this.#ranks.value;
    if (list === undefined || ranks === undefined) return undefined;
    const { column, descending } = this.#layout.sort.value ?? { column: 'name', descending: false };
    const snapshot = this.#sortsByValue.value ? this.snapshot.value : undefined;
    return orderOf(ranks, sortNumbers(list, column, snapshot), descending);
  });
  readonly #names = computed<LiveNames>(() =>
    moment.value === undefined ? this.#watched.value : namesIn(this.#list.value, this.snapshot.value),
  );

  readonly rows = computed<GridRows<number>>(() => {
    const list = this.#list.value;
    const order = this.#order.value;
    if (list === undefined || order === undefined) return { length: 0, at: () => 0, keyAt: () => '' };
    const ids = filtered(list, order, this.filter.value, this.#names.value);
    const at = (index: number) => ids[index] ?? 0;
    return { length: ids.length, at, keyAt: (index) => list.keyAt(at(index)) };
  });

  constructor(layout: GridLayout) {
    this.#layout = layout;
  }

  again = () => {
    this.#turn.value++;
  };

  /** Reads and watches what is needed until the returned function is called. */
  start(): () => void {
    const ends = [followPointList(), effect(() => this.#watch()), effect(() => this.#readSnapshot())];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Of the past, the snapshot says it. */
  #watch(): (() => void) | undefined {
    void this.#wantedKey.value;
    const wanted = this.#wanted.peek();
    if (moment.value !== undefined) return undefined;
    const watches: Partial<Record<keyof LiveNames, WatchedNames>> = {
      ...(wanted.bad && { bad: watchNames('bad') }),
      ...(wanted.uncertain && { uncertain: watchNames('uncertain') }),
      ...(wanted.simulated && { simulated: watchNames('simulated') }),
    };
    const stop = effect(() => {
      this.#watched.value = {
        bad: watches.bad?.names.value,
        uncertain: watches.uncertain?.names.value,
        simulated: watches.simulated?.names.value,
      };
    });
    return () => {
      stop();
      for (const watch of Object.values(watches)) watch.end();
    };
  }

  #readSnapshot(): (() => void) | undefined {
    void this.#wantedKey.value;
    void this.#turn.value;
    const list = this.#list.value;
    const at = moment.value;
    const isForFilter = at !== undefined && Object.values(this.#wanted.peek()).some(Boolean);
    if (list === undefined || (!this.#sortsByValue.value && !isForFilter)) return undefined;
    const end = new AbortController();
    readSnapshot(list, { at, now: now.peek(), signal: end.signal }).then(
      (snapshot) => {
        if (end.signal.aborted) return;
        this.snapshot.value = snapshot;
        this.snapshotError.value = undefined;
      },
      (error: unknown) => {
        if (!end.signal.aborted) this.snapshotError.value = error;
      },
    );
    return () => end.abort();
  }
}

function namesIn(list: PointList | undefined, snapshot: Snapshot | undefined): LiveNames {
  if (list === undefined || snapshot === undefined || snapshot.qualities.length !== list.length) {
    return { bad: undefined, uncertain: undefined, simulated: undefined };
  }
  const having = (fits: (q: number) => boolean) =>
    new Set(list.names.filter((_, id) => id < list.measurements && fits(snapshot.qualities[id] ?? Number.NaN)));
  return {
    bad: having((q) => !Number.isNaN(q) && isBad(q)),
    uncertain: having((q) => !Number.isNaN(q) && isUncertain(q)),
    simulated: having((q) => !Number.isNaN(q) && (q & quality.simulated) !== 0),
  };
}
