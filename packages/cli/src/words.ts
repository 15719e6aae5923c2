// What live objects look like to people: values without their prefix, local times, qualities and states in words.
import {
  type AlarmState,
  describeQuality,
  fromTimestamp,
  isBad,
  isUncertain,
  type LinkState,
  quality,
  shownValue,
  type Timestamp,
  type Vt,
  type Vtq,
  withUnit,
} from '@telltale/schema';
import type { Shown } from './shown-points.ts';
import type { Cell, Style } from './terminal.ts';

/** Without the letter of its datatype, rounded as it makes sense, with its unit. */
export function valueText(prefixed: string, { eu, precision }: Shown = {}): string {
  return withUnit(shownValue(prefixed, precision), eu);
}

/** A measurement that was never read, and a command that was never written, have no value yet. */
export function liveText([value, time]: Vt | Vtq, shown?: Shown): string {
  return fromTimestamp(time) === 0 ? '–' : valueText(value, shown);
}

/** Local, with milliseconds; nothing where there never was a time. */
export function timeText(timestamp: Timestamp): string {
  const us = fromTimestamp(timestamp);
  if (us === 0) return 'never';
  const time = new Date(us / 1000);
  const two = (number: number) => String(number).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${date} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

export function qualityCell(q: number): Cell {
  return { text: describeQuality(q), style: qualityStyle(q) };
}

export function qualityStyle(q: number): Style {
  if (isBad(q)) return 'red';
  if (isUncertain(q)) return 'yellow';
  return (q & quality.simulated) === 0 ? 'green' : 'magenta';
}

const links: Record<LinkState, Style> = {
  connecting: 'yellow',
  up: 'green',
  down: 'red',
  failed: 'red',
  disabled: 'magenta',
};

export function linkCell(state: LinkState): Cell {
  return { text: state, style: Object.hasOwn(links, state) ? links[state] : 'plain' };
}

const states: Record<AlarmState, { text: string; style: Style }> = {
  ACT_UNACK: { text: 'active, not acknowledged', style: 'red' },
  ACT_ACK: { text: 'active, acknowledged', style: 'yellow' },
  INACT_UNACK: { text: 'cleared, not acknowledged', style: 'magenta' },
  INACT_ACK: { text: 'quiet', style: 'dim' },
};

export function stateCell(state: AlarmState): Cell {
  return Object.hasOwn(states, state) ? states[state] : state;
}

export function isActive(state: AlarmState): boolean {
  return state === 'ACT_UNACK' || state === 'ACT_ACK';
}
