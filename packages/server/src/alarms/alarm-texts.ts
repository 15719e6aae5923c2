// The JSON of live alarms: of one, of some, of all. Kept until it changes, since alarms are read more often than they
// change. Made as text, so that every name is an ordinary one.
import { type AlarmField, type AlarmState, alarmFields, toTimestamp } from '@telltale/schema';

/** An alarm as it is shown. Its name is an identifier, which needs no escapes. */
export interface ShownAlarm {
  readonly name: string;
  readonly severity: number;
  readonly timeUs: number;
  readonly authority: string;
  readonly state: AlarmState;
  readonly description: string;
}

/** So many alarms make one buffer; a change makes one buffer anew. */
const blockShift = 6;
const blockSize = 1 << blockShift;

const opening = Buffer.from('{');
const closing = Buffer.from('}');

export class AlarmTexts {
  readonly #shown: (handle: number) => ShownAlarm | undefined;
  readonly #texts: (string | undefined)[] = [];
  readonly #blocks: (Buffer | undefined)[] = [];

  constructor(shown: (handle: number) => ShownAlarm | undefined) {
    this.#shown = shown;
  }

  /** The alarm at the handle is new, changed, or gone. */
  changed(handle: number): void {
    // An array that is never written far behind its end stays a plain one.
    while (this.#texts.length <= handle) this.#texts.push(undefined);
    while (this.#blocks.length <= handle >> blockShift) this.#blocks.push(undefined);
    this.#texts[handle] = undefined;
    this.#blocks[handle >> blockShift] = undefined;
  }

  /** All six fields. */
  one(handle: number): string {
    const kept = this.#texts[handle];
    if (kept !== undefined) return kept;
    const alarm = this.#shown(handle);
    if (alarm === undefined) throw new RangeError(`There is no alarm at ${handle}`);
    const text = objectText(alarm, alarmFields);
    this.#texts[handle] = text;
    return text;
  }

  /** One JSON object from name to alarm, in pieces that lie behind each other. They are shared: nobody writes to them. */
  all(): Buffer[] {
    return collection(this.#blocks.map((kept, block) => kept ?? this.#makeBlock(block)));
  }

  /** The same of some handles, each of which stands there once, or of some fields. */
  some(handles: Iterable<number>, fields: readonly AlarmField[]): Buffer[] {
    const chosen = alarmFields.filter((field) => fields.includes(field));
    const blocks: Buffer[] = [];
    let parts: string[] = [];
    for (const handle of handles) {
      const alarm = this.#shown(handle);
      if (alarm === undefined) continue;
      parts.push(`,"${alarm.name}":${objectText(alarm, chosen)}`);
      if (parts.length === blockSize) {
        blocks.push(Buffer.from(parts.join('')));
        parts = [];
      }
    }
    blocks.push(Buffer.from(parts.join('')));
    return collection(blocks);
  }

  #makeBlock(block: number): Buffer {
    const parts: string[] = [];
    for (let handle = block << blockShift; handle < (block + 1) << blockShift; handle++) {
      const alarm = this.#shown(handle);
      // The text of each is not kept beside that of the block: that would be as much again.
      if (alarm !== undefined) parts.push(`,"${alarm.name}":${this.#texts[handle] ?? objectText(alarm, alarmFields)}`);
    }
    const made = Buffer.from(parts.join(''));
    this.#blocks[block] = made;
    return made;
  }
}

/** Each member has a comma before it; that of the first is left out. */
function collection(blocks: readonly Buffer[]): Buffer[] {
  const [first, ...more] = blocks.filter(({ length }) => length > 0);
  return first === undefined ? [opening, closing] : [opening, first.subarray(1), ...more, closing];
}

function objectText(alarm: ShownAlarm, fields: readonly AlarmField[]): string {
  let text = '';
  for (const field of fields) text += `${text === '' ? '{' : ','}"${field}":${fieldText(alarm, field)}`;
  return text === '' ? '{}' : `${text}}`;
}

function fieldText(alarm: ShownAlarm, field: AlarmField): string {
  switch (field) {
    case 'name':
    case 'state':
      return `"${alarm[field]}"`;
    case 'severity':
      return String(alarm.severity);
    case 't':
      return `[${toTimestamp(alarm.timeUs).join(',')}]`;
    default:
      return JSON.stringify(alarm[field]);
  }
}
