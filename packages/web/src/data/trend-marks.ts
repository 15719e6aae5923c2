// What happened around the pens of a trend: transitions of the alarms that they trigger, and changes of the configuration; and the
// limits of these alarms. What the caller may not read is left out.
import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { fromTimestamp, isPrefixedText, toTimestamp } from '@telltale/schema/values';
import { isActive } from './alarms.ts';
import { revision } from './overview.ts';
import { client } from './service.ts';
import { may } from './session.ts';

export type Mark =
  | {
      readonly kind: 'alarm';
      readonly t: number;
      readonly name: string;
      readonly severity: number;
      readonly digit: number;
      readonly isActive: boolean;
      readonly text: string;
    }
  | {
      readonly kind: 'revision';
      readonly t: number;
      readonly id: number;
      readonly author: string;
      readonly comment: string;
    };

/** Against which an alarm compares a measurement. */
export interface AlarmLimit {
  readonly alarm: string;
  readonly measurement: string;
  readonly operator: string;
  readonly value: number;
  readonly severity: number;
}

/** Of one window; a flood is not drawn transition by transition. */
const mostMarks = 2000;
const marksOfAlarm = 500;
const severityClasses = 5;
const operators = { lt: '<', gt: '>', le: '≤', ge: '≥', eq: '=', ne: '≠' } as const;

export class TrendMarks {
  readonly #version = signal(0);
  readonly #shown: Signal<readonly Mark[]> = signal([]);
  readonly #limits: Signal<readonly AlarmLimit[]> = signal([]);

  #limitsKey = '';

  readonly version: ReadonlySignal<number> = this.#version;
  /** In time order. */
  readonly shown: ReadonlySignal<readonly Mark[]> = this.#shown;
  readonly limits: ReadonlySignal<readonly AlarmLimit[]> = this.#limits;

  /** Of a window, and of the alarms that the measurements trigger. */
  async read(measurements: readonly string[], { from, until }: MarksWindow, signal: AbortSignal): Promise<void> {
    const limits = await this.#alarmsOf(measurements, signal);
    const [alarms, revisions] = await Promise.all([
      transitions(limits, { from, until }, signal),
      revisionsIn({ from, until }, signal),
    ]);
    if (signal.aborted) return;
    batch(() => {
      this.#limits.value = limits;
      this.#shown.value = [...alarms, ...revisions].sort((one, other) => one.t - other.t).slice(0, mostMarks);
      this.#version.value++;
    });
  }

  /** Read again when another configuration runs. */
  async #alarmsOf(measurements: readonly string[], signal: AbortSignal): Promise<readonly AlarmLimit[]> {
    const key = `${revision.peek()} ${measurements.join()}`;
    if (key === this.#limitsKey) return this.#limits.peek();
    if (measurements.length === 0) return [];
    const found = await client.alarms.triggers({ measurements, signal }).catch(() => undefined);
    if (found === undefined || signal.aborted) return [];
    this.#limitsKey = key;
    return Object.values(found).flatMap(({ name, measurement, operator, limit, severity }) => {
      if (measurement === null) return [];
      const value = limit === null || isPrefixedText(limit) ? Number.NaN : Number(limit.slice(1));
      return [{ alarm: name, measurement, operator: operator === null ? '' : operators[operator], value, severity }];
    });
  }
}

interface MarksWindow {
  readonly from: number;
  readonly until: number;
}

async function transitions(
  limits: readonly AlarmLimit[],
  { from, until }: MarksWindow,
  signal: AbortSignal,
): Promise<Mark[]> {
  const severities = new Map(limits.map(({ alarm, severity }) => [alarm, severity]));
  if (severities.size === 0) return [];
  const interval = { since: toTimestamp(from), until: toTimestamp(until), limit: marksOfAlarm, signal };
  const names = [...severities.keys()];
  const records = await client.archive.readMany('alarms', { names, ...interval }).catch(() => undefined);
  return Object.entries(records ?? {}).flatMap(([name, list]) =>
    list.map(({ t, state, description }): Mark => {
      const digit = severities.get(name) ?? 0;
      return {
        kind: 'alarm',
        t: fromTimestamp(t),
        name,
        severity: Math.min(digit, severityClasses - 1),
        digit,
        isActive: isActive(state),
        text: `${state} ${description}`,
      };
    }),
  );
}

async function revisionsIn({ from, until }: MarksWindow, signal: AbortSignal): Promise<Mark[]> {
  if (!may('read-config')) return [];
  const revisions = await client.configuration.revisions({ signal }).catch(() => []);
  return revisions
    .map(({ id, time, author, comment = '' }): Mark => {
      return { kind: 'revision', t: fromTimestamp(time), id, author, comment };
    })
    .filter(({ t }) => t >= from && t < until);
}
