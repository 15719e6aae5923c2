// All alarms that the caller sees, live: every transition arrives, none is passed over. While a moment of the past is shown,
// they are those of that moment.
import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { AlarmState, LiveAlarm } from '@telltale/schema';
import { alarmStates, fromTimestamp, toTimestamp } from '@telltale/schema/values';
import { cameOf, readCame } from './alarm-came.ts';
import { moment } from './moment.ts';
import { overview } from './overview.ts';
import { channel, client } from './service.ts';
import { isAway, whileAway } from './sites.ts';

export interface ShownAlarm {
  readonly name: string;
  readonly severity: number;
  readonly state: AlarmState;
  /** Of the last transition; microseconds since 1970. 0: there was none yet, or it is not known when. */
  readonly t: number;
  /** When it came, whatever became of it since; 0: that is not known, or it is quiet. */
  readonly came: number;
  readonly authority: string;
  readonly description: string;
  readonly area: string;
}

/** A flood is shown in frames of this length. */
const flushMs = 100;
const retryMs = 2000;

class AlarmStore {
  /** Changes by whole maps, so that its signal tells. */
  readonly live = signal<ReadonlyMap<string, ShownAlarm>>(new Map());
  readonly past = signal<ReadonlyMap<string, ShownAlarm> | undefined>(undefined);
  readonly pastFailure = signal<unknown>(undefined);
  readonly isKnown = signal(false);
  #waiting: Map<string, ShownAlarm | undefined> | undefined;
  /** The present states are still to come, in one batch; what was shown before them may have been removed meanwhile. */
  #isAnew = true;

  async follow(): Promise<void> {
    this.#begin();
    try {
      for await (const { updates, resumed } of channel.watchAlarms('all')) {
        if (resumed) this.#begin();
        this.#flushSoon();
        for (const change of updates) this.#note(change);
      }
    } catch {
      // Too many at once for this browser, or no right to see them: the present states follow the next watch.
    }
    if (channel.state !== 'closed') setTimeout(() => void this.follow(), retryMs);
  }

  /** What a centre has of a site that is away. */
  async readLast(): Promise<void> {
    const all = Object.values(await client.alarms.list());
    if (!isAway.peek()) return;
    this.#begin();
    this.#waiting = new Map(all.map((alarm) => [alarm.name, shownOf(alarm, this.live.peek().get(alarm.name))]));
    this.#flush();
    this.#isAnew = true; // the channel begins with all states
  }

  async readPast(at: number): Promise<void> {
    const interval = { since: toTimestamp(at), until: toTimestamp(at + 1), warpHead: true, limit: 1 };
    const records = await client.archive.readMany('alarms', interval).catch((error: unknown) => {
      if (moment.peek() === at) this.pastFailure.value = error;
    });
    if (moment.peek() !== at || records === undefined) return;
    const found = new Map<string, ShownAlarm>();
    for (const [name, [record]] of Object.entries(records)) {
      if (record === undefined) continue;
      const { state, authority, description } = record;
      // The archive has no severity and no area: they are those of today. What was in force does not say since when.
      const { severity = 0, area = '' } = this.live.peek().get(name) ?? {};
      found.set(name, { name, severity, state, t: 0, came: 0, authority, description, area });
    }
    this.past.value = found;
  }

  /** Where there is no alarm, no present state says so. */
  noteNone(): void {
    if (!this.#isAnew) return;
    this.#waiting ??= new Map();
    this.#flush();
  }

  #note(change: LiveAlarm & { readonly removed?: boolean }): void {
    const { name } = change;
    const known = this.#waiting?.get(name) ?? this.live.peek().get(name);
    // Anew, something may have been missed since.
    const isNext = !this.#isAnew || known?.t === fromTimestamp(change.t);
    this.#waiting?.set(name, change.removed ? undefined : shownOf(change, isNext ? known : undefined));
  }

  /** Of those that came before the page was opened. */
  async #readCame(): Promise<void> {
    const unknown = [...this.live.peek().values()].filter(({ state, came }) => state !== 'INACT_ACK' && came === 0);
    if (unknown.length === 0) return;
    const names = unknown.map(({ name }) => name);
    const latest = unknown.reduce((most, { t }) => Math.max(most, t), 0);
    const found = await readCame(names, latest + 1).catch(() => new Map<string, number>());
    const next = new Map(this.live.peek());
    for (const [name, came] of found) {
      const alarm = next.get(name);
      if (alarm?.came === 0 && alarm.state !== 'INACT_ACK' && came <= alarm.t) next.set(name, { ...alarm, came });
    }
    this.live.value = next;
  }

  #begin(): void {
    this.#isAnew = true;
    this.#waiting = undefined;
  }

  #flushSoon(): void {
    if (this.#waiting !== undefined) return;
    this.#waiting = new Map();
    setTimeout(() => this.#flush(), this.#isAnew ? 0 : flushMs);
  }

  #flush(): void {
    if (this.#waiting === undefined) return;
    const next = new Map(this.#isAnew ? [] : this.live.peek());
    for (const [name, alarm] of this.#waiting) {
      if (alarm === undefined) next.delete(name);
      else next.set(name, alarm);
    }
    this.#waiting = undefined;
    const wasAnew = this.#isAnew;
    this.#isAnew = false;
    batch(() => {
      this.live.value = next;
      this.isKnown.value = true;
    });
    if (wasAnew) void this.#readCame();
  }
}

const store = new AlarmStore();

/** By name, whatever moment is shown. */
export const presentAlarms: ReadonlySignal<ReadonlyMap<string, ShownAlarm>> = store.live;

/** By name, those that are quiet too. */
export const alarms: ReadonlySignal<ReadonlyMap<string, ShownAlarm>> = computed(() =>
  moment.value === undefined ? store.live.value : (store.past.value ?? new Map()),
);

/** Whether the states have arrived: those of the present, or of the moment that is shown. */
export const alarmsAreKnown: ReadonlySignal<boolean> = computed(() =>
  moment.value === undefined ? store.isKnown.value : store.past.value !== undefined,
);

/** Why those of the moment that is shown cannot be read. */
export const alarmsFailure: ReadonlySignal<unknown> = computed(() =>
  moment.value === undefined ? undefined : store.pastFailure.value,
);

export function startAlarms(): void {
  void store.follow();
  whileAway(() => store.readLast());
  overview.subscribe((found) => {
    if (found !== undefined && alarmStates.every((state) => found.alarms[state] === 0)) store.noteNone();
  });
  effect(() => {
    const at = moment.value;
    store.past.value = undefined;
    store.pastFailure.value = undefined;
    if (at !== undefined) void store.readPast(at);
  });
}

function shownOf(alarm: LiveAlarm, before: ShownAlarm | undefined): ShownAlarm {
  const { name, severity, state, authority, description, area = '' } = alarm;
  const t = fromTimestamp(alarm.t);
  return { name, severity, state, t, came: cameOf({ state, t }, before), authority, description, area };
}

/** When it came, or the earliest that is known of it. */
export const sinceOf = ({ came, t }: ShownAlarm): number => came || t;

export const isActive = (state: AlarmState): boolean => state === 'ACT_UNACK' || state === 'ACT_ACK';
export const isUnacknowledged = (state: AlarmState): boolean => state === 'ACT_UNACK' || state === 'INACT_UNACK';

/** The most urgent first: unacknowledged before acknowledged, then by severity, then the newest. */
export function byUrgency(a: ShownAlarm, b: ShownAlarm): number {
  return (
    urgencyOf(a) - urgencyOf(b) || a.severity - b.severity || sinceOf(b) - sinceOf(a) || (a.name < b.name ? -1 : 1)
  );
}

function urgencyOf({ state }: ShownAlarm): number {
  return ['ACT_UNACK', 'INACT_UNACK', 'ACT_ACK', 'INACT_ACK'].indexOf(state);
}
