// Times as people read them: in the plant's zone, that of the browser or UTC, with the offset where it matters; and ages.
import { computed, type ReadonlySignal } from '@preact/signals';
import { plantZone } from '../data/overview.ts';
import { language, zoneChoice } from '../settings.ts';
import { localNumber, words } from '../words/words.ts';

/** The IANA name of the zone that times are shown in. */
export const zone: ReadonlySignal<string> = computed(() => {
  if (zoneChoice.value === 'UTC') return 'UTC';
  if (zoneChoice.value === 'plant' && plantZone.value !== undefined) return plantZone.value;
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
});

const locales = { en: 'en-GB', de: 'de-DE' } as const;

const formats = computed(() => {
  const locale = locales[language.value];
  const common = { timeZone: zone.value, hourCycle: 'h23' } as const;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  return {
    // Like ISO 8601 in every language: nobody has to guess which is the month.
    day: new Intl.DateTimeFormat('sv-SE', { ...common, ...day }),
    time: new Intl.DateTimeFormat('sv-SE', { ...common, ...time }),
    dayOfYear: new Intl.DateTimeFormat(locale, { ...common, day: 'numeric', month: 'short' }),
    offset: new Intl.DateTimeFormat(locale, { ...common, timeZoneName: 'longOffset' }),
  };
});

/** Devices say times that no calendar has: its first or last one is shown for them. */
const mostMs = 8.64e15;

function msOf(us: number): number {
  return Math.max(-mostMs, Math.min(mostMs, us / 1000)) || 0;
}

/** `2026-03-29` */
export function dayText(us: number): string {
  return formats.value.day.format(msOf(us));
}

/** `14:03:22`, with milliseconds where asked for. */
export function clockText(us: number, { millis = false } = {}): string {
  const text = formats.value.time.format(msOf(us));
  return millis ? `${text}.${String(Math.floor(us / 1000) % 1000).padStart(3, '0')}` : text;
}

/** `+02:00` */
export function offsetText(us: number): string {
  const part = formats.value.offset.formatToParts(msOf(us)).find(({ type }) => type === 'timeZoneName');
  return part?.value.replace(/^(?:GMT|UTC)$/, '+00:00').replace(/^(?:GMT|UTC)/, '') ?? '';
}

/** Day, time and offset. */
export function momentText(us: number, options: { readonly millis?: boolean } = {}): string {
  if (us === 0) return words.value.values.never;
  return `${dayText(us)} ${clockText(us, options)} ${offsetText(us)}`;
}

/** The time of today, the day as well of any other. */
export function shortMomentText(us: number, nowUs: number): string {
  if (us === 0) return words.value.values.never;
  const day = dayText(us);
  return day === dayText(nowUs) ? clockText(us) : `${day} ${clockText(us)}`;
}

/** `14:03:22` of today, `18 Nov 14:03` of another day, `2025-11-18` of another year: as much as a cell has room for. */
export function cellMomentText(us: number, nowUs: number): string {
  if (us === 0) return words.value.values.never;
  const [day, today] = [dayText(us), dayText(nowUs)];
  if (day === today) return clockText(us);
  if (day.slice(0, 4) !== today.slice(0, 4)) return day;
  return `${formats.value.dayOfYear.format(us / 1000)} ${clockText(us).slice(0, 5)}`;
}

const second = 1;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `3 s`, `12 min`, `5 h`, `3 d`: one number is enough for an age. */
export function ageText(seconds: number): string {
  const s = Math.max(0, seconds);
  if (s < 10) return `${localNumber((Math.floor(s * 10) / 10).toFixed(s < 1 ? 1 : 0))} s`;
  if (s < 2 * minute) return `${Math.floor(s)} s`;
  if (s < 2 * hour) return `${Math.floor(s / minute)} min`;
  if (s < 2 * day) return `${Math.floor(s / hour)} h`;
  return `${Math.floor(s / day)} d`;
}

/**
 * The moment that a person means by a day and a time of the zone: an hour that the zone skips is the one after it, one that
 * it has twice is the first.
 */
export function momentOf(dayOfYear: string, timeOfDay: string): number | undefined {
  const naive = Date.parse(`${dayOfYear}T${timeOfDay.length === 5 ? `${timeOfDay}:00` : timeOfDay}Z`);
  if (!(Math.abs(naive) < mostMs / 2)) return undefined;
  const offsets = [naive - day * 1000, naive + day * 1000].map((ms) => offsetMs(ms));
  const candidates = offsets.map((offset) => naive - offset).filter((ms) => offsetMs(ms) === naive - ms);
  const ms = candidates.length > 0 ? Math.min(...candidates) : naive - Math.min(...offsets);
  return ms * 1000;
}

function offsetMs(ms: number): number {
  const shown = Date.parse(`${formats.value.day.format(ms)}T${formats.value.time.format(ms)}Z`);
  return shown - Math.floor(ms / 1000) * 1000;
}
