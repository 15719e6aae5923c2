// What a picture shows of one point: which kind it is, its value, and the most urgent of its alarms, kept up to date.
import { computed, type ReadonlySignal } from '@preact/signals';
import { isBad } from '@telltale/schema/values';
import { alarmsAt } from '../../data/alarm-triggers.ts';
import { alarms, byUrgency, isActive, isUnacknowledged, type ShownAlarm } from '../../data/alarms.ts';
import { liveStores } from '../../data/live-store.ts';
import type { LiveValue, PointKind, Shown } from '../../data/live-value.ts';
import { factsOfPoint, type PointFacts } from '../../data/points.ts';
import type { PointName } from './bindings.ts';
import { type Tested, testedOf } from './conditions.ts';

export interface PointState {
  readonly name: string;
  /** Undefined until it is known, and of what there is not. */
  readonly kind: PointKind | 'alarms' | undefined;
  readonly shown: Shown;
  readonly facts: PointFacts | undefined;
  /** What it is itself, where it is an alarm. */
  readonly itself: ShownAlarm | undefined;
  /** The most urgent that is active or not acknowledged. */
  readonly alarm: ShownAlarm | undefined;
}

/** Kept up to date for as long as something follows it. */
export function stateOfPoint({ kind: wanted, name }: PointName): ReadonlySignal<PointState> {
  return computed((): PointState => {
    const kind = kindOf(wanted, name);
    if (kind === 'pending' || kind === 'unknown') {
      return { name, kind: undefined, shown: kind, facts: undefined, itself: undefined, alarm: undefined };
    }
    if (kind === 'alarms') {
      const itself = alarms.value.get(name);
      return { name, kind, shown: 'pending', facts: undefined, itself, alarm: itself && urgent([itself]) };
    }
    const facts = factsOfPoint(kind, name).value;
    const own = kind === 'measurements' ? alarmsAt(name).value.flatMap((each) => alarms.value.get(each) ?? []) : [];
    return {
      name,
      kind,
      shown: liveStores[kind].show(name).value,
      facts: typeof facts === 'string' ? undefined : facts,
      itself: undefined,
      alarm: urgent(own),
    };
  });
}

/** A measurement comes before a command, and that before an alarm. */
function kindOf(wanted: PointName['kind'], name: string): PointKind | 'alarms' | 'pending' | 'unknown' {
  for (const kind of ['measurements', 'commands'] as const) {
    if (wanted !== undefined && wanted !== kind) continue;
    const facts = factsOfPoint(kind, name).value;
    if (facts === 'pending') return 'pending';
    if (facts !== 'unknown') return kind;
  }
  return (wanted ?? 'alarms') === 'alarms' && alarms.value.has(name) ? 'alarms' : 'unknown';
}

function urgent(found: readonly ShownAlarm[]): ShownAlarm | undefined {
  const wanting = found.filter(({ state }) => isActive(state) || isUnacknowledged(state));
  return wanting.length < 2 ? wanting[0] : wanting.toSorted(byUrgency)[0];
}

/** Undefined where there is none that one should rely on: not known, or bad. */
export function testedValue({ shown, itself }: PointState): Tested | undefined {
  if (itself !== undefined) {
    const { state } = itself;
    const texts = [isActive(state) ? 'active' : 'inactive', isUnacknowledged(state) ? 'unacked' : 'acked'];
    return { number: undefined, texts };
  }
  const value = liveValueOf(shown);
  return value === undefined || isBadValue(value) ? undefined : testedOf(value.value);
}

export function liveValueOf(shown: Shown): LiveValue | undefined {
  return typeof shown === 'string' ? undefined : shown;
}

/** That of a command which nobody has written is none. */
export function isBadValue({ quality, t }: LiveValue): boolean {
  return quality === undefined ? t === 0 : isBad(quality);
}
