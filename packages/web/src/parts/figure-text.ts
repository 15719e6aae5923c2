// Counts and sizes as people read them.
import { language } from '../settings.ts';
import { localNumber } from '../words/words.ts';

/** With a thin space every three digits, as ISO 80000 has it: in no language a decimal sign. */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, '\u2009');
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  const format = new Intl.NumberFormat(language.value, { maximumSignificantDigits: 3 });
  return `${format.format(amount)} ${units[power]}`;
}

/** Of something a second: as precise as people look at it. */
export function rateText(rate: number): string {
  return rate >= 100 ? countText(Math.round(rate)) : localNumber(rate.toFixed(rate === 0 ? 0 : 1));
}
