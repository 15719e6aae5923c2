// Packs the record of an alarm, its transition, into one text; packages/schema/src/alarm-text.ts unpacks it.
import type { PackedAlarm } from '@telltale/schema/values';
import { maxRecordTextBytes } from './records.ts';

const cutMark = '…';
/** Of the authority and of the description each; the rest is for the state, the length and the marks. */
const maxPartBytes = maxRecordTextBytes / 2 - 64;

/** What is longer than a record may be is cut, and ends with an ellipsis; half surrogate pairs are replaced. */
export function packAlarm({ state, authority, description }: PackedAlarm): string {
  const by = cut(authority.toWellFormed());
  return `${state} ${by.length} ${by}${cut(description.toWellFormed())}`;
}

export function isActiveAlarm(text: string): boolean {
  return text.startsWith('ACT_');
}

function cut(text: string): string {
  if (text.length * 3 <= maxPartBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxPartBytes));
  return read === text.length ? text : text.slice(0, read) + cutMark;
}
