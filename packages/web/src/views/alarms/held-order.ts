// The order of the live list, which stands still while somebody is about to do something in it: new alarms are gathered until
// they are wanted, those that changed stay where they are. Otherwise it is the order of urgency at once.
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { byUrgency, type ShownAlarm } from '../../data/alarms.ts';

type Alarms = ReadonlyMap<string, ShownAlarm>;

export interface HeldOrder {
  /** Names, the most urgent first at the time when they were put in order. */
  readonly names: ReadonlySignal<readonly string[]>;
  /** How many match and are not among the names. */
  readonly gathered: ReadonlySignal<number>;
  /** Puts all in order, held or not. */
  readonly renew: () => void;
  readonly stop: () => void;
}

export interface HeldOrderOptions {
  readonly alarms: ReadonlySignal<Alarms>;
  /** Another one is somebody's wish to see other rows: it renews the order. */
  readonly matches: ReadonlySignal<(alarm: ShownAlarm) => boolean>;
  readonly isHeld: ReadonlySignal<boolean>;
}

export function heldOrder({ alarms, matches, isHeld }: HeldOrderOptions): HeldOrder {
  const names: Signal<readonly string[]> = signal([]);
  const gathered = signal(0);
  const turn = signal(0);
  let shown = new Set<string>();
  let before: { readonly matches: unknown; readonly turn: number } | undefined;
  const stop = effect(() => {
    const wanted = { matches: matches.value, turn: turn.value };
    const isSame = before?.matches === wanted.matches && before.turn === wanted.turn;
    const all = alarms.value;
    if (isSame && isHeld.value) {
      gathered.value = countOf(all, (alarm) => !shown.has(alarm.name) && wanted.matches(alarm));
      return;
    }
    before = wanted;
    const ordered = [...all.values()].filter(wanted.matches).sort(byUrgency);
    batch(() => {
      gathered.value = 0;
      const next = ordered.map(({ name }) => name);
      if (isEqual(next, names.peek())) return;
      shown = new Set(next);
      names.value = next;
    });
  });
  return { names, gathered, renew: () => turn.value++, stop };
}

function countOf(all: Alarms, isCounted: (alarm: ShownAlarm) => boolean): number {
  let count = 0;
  for (const alarm of all.values()) if (isCounted(alarm)) count++;
  return count;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}
