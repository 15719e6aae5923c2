// The record of an alarm: its transition packed into one text. The state comes first, so that it can be read without
// unpacking the rest.
import type { AlarmState } from '@telltale/schema';
import { maxRecordTextBytes } from './records.ts';

export interface AlarmRecord {
  readonly state: AlarmState;
  readonly authority: string;
  readonly description: string;
}

/** `state length authoritydescription`: the length is that of the authority, which may contain anything. */
const packed = /^(INACT_ACK|ACT_UNACK|ACT_ACK|INACT_UNACK) (0|[1-9][0-9]{0,6}) /;

const cutMark = '…';
/** Of the authority and of the description each; the rest is for the state, the length and the marks. */
const maxPartBytes = maxRecordTextBytes / 2 - 64;

/** What is longer than a record may be is cut, and ends with an ellipsis; half surrogate pairs are replaced. */
export function packAlarm({ state, authority, description }: AlarmRecord): string {
  const by = cut(authority.toWellFormed());
  return `${state} ${by.length} ${by}${cut(description.toWellFormed())}`;
}

/** Undefined where the text is no transition. */
export function unpackAlarm(text: string): AlarmRecord | undefined {
  const [head, state, length] = packed.exec(text) ?? [];
  if (head === undefined) return undefined;
  const end = head.length + Number(length);
  if (end > text.length) return undefined;
  return { state: state as AlarmState, authority: text.slice(head.length, end), description: text.slice(end) };
}

export function isActiveAlarm(text: string): boolean {
  return text.startsWith('ACT_');
}

function cut(text: string): string {
  if (text.length * 3 <= maxPartBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxPartBytes));
  return read === text.length ? text : text.slice(0, read) + cutMark;
}
