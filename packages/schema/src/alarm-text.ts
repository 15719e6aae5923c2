// The text of an alarm's record in the binary form of the archive: its transition. The state comes first, so that it can be
// read without unpacking the rest.
import type { AlarmState } from './data-access.ts';

export interface PackedAlarm {
  readonly state: AlarmState;
  readonly authority: string;
  readonly description: string;
}

/** `state length authoritydescription`: the length is that of the authority, which may contain anything. */
const packed = /^(INACT_ACK|ACT_UNACK|ACT_ACK|INACT_UNACK) (0|[1-9][0-9]{0,6}) /;

/** Undefined where the text is no transition. */
export function unpackAlarm(text: string): PackedAlarm | undefined {
  const [head, state, length] = packed.exec(text) ?? [];
  if (head === undefined) return undefined;
  const end = head.length + Number(length);
  if (end > text.length) return undefined;
  return { state: state as AlarmState, authority: text.slice(head.length, end), description: text.slice(end) };
}
