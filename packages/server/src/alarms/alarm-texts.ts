// The JSON of live alarms: of one, of some, of all. Kept until it changes, since alarms are read more often than they
// change. Made as text, so that every name is an ordinary one.
import { type AlarmField, alarmFields, type LiveAlarm, toTimestamp } from '@telltale/schema';
import { type Gathered, type Gathering, Pieces, stepItems } from '../points/index.ts';

/** An alarm as it is shown. Its name is an identifier, which needs no escapes. What is not set is an empty text. */
export interface ShownAlarm extends Readonly<Required<Omit<LiveAlarm, 't'>>> {
  readonly timeUs: number;
}

/** So many alarms make one buffer; a change rebuilds one buffer. */
const blockShift = 6;

/** What opens and closes an object, and an array. */
const braces = [0x7b, 0x7d] as const;
const brackets = [0x5b, 0x5d] as const;

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

  /** All fields. */
  one(handle: number): string {
    const cached = this.#texts[handle];
    if (cached !== undefined) return cached;
    const alarm = this.#shown(handle);
    if (alarm === undefined) throw new RangeError(`There is no alarm at ${handle}`);
    const text = wholeText(alarm);
    this.#texts[handle] = text;
    return text;
  }

  /** One JSON object from name to alarm. */
  *all(): Gathering {
    const pieces = new Pieces();
    for (let block = 0; block < this.#blocks.length; block++) {
      pieces.append(this.#blocks[block] ?? this.#makeBlock(block));
      yield;
    }
    return enclosed(pieces, braces);
  }

  /** The same of some handles, each of which stands there once, or of some fields. What is gone is left out. */
  some(handles: Iterable<number>, fields?: readonly AlarmField[]): Gathering {
    const chosen = fields && alarmFields.filter((field) => fields.includes(field));
    const textOf = chosen === undefined ? wholeText : (alarm: ShownAlarm) => objectText(alarm, chosen);
    return this.#gather(handles, (alarm) => `,"${alarm.name}":${textOf(alarm)}`, braces);
  }

  /** A JSON array of the same. */
  array(handles: Iterable<number>): Gathering {
    return this.#gather(handles, (alarm) => `,${wholeText(alarm)}`, brackets);
  }

  *#gather(
    handles: Iterable<number>,
    textOf: (alarm: ShownAlarm) => string,
    around: typeof braces | typeof brackets,
  ): Gathering {
    const pieces = new Pieces();
    let text = '';
    let items = 0;
    for (const handle of handles) {
      const alarm = handle < 0 ? undefined : this.#shown(handle);
      if (alarm !== undefined) text += textOf(alarm);
      if (++items % stepItems > 0) continue;
      pieces.append(Buffer.from(text));
      text = '';
      yield;
    }
    pieces.append(Buffer.from(text));
    return enclosed(pieces, around);
  }

  #makeBlock(block: number): Buffer {
    const parts: string[] = [];
    for (let handle = block << blockShift; handle < (block + 1) << blockShift; handle++) {
      const alarm = this.#shown(handle);
      // The text of each is not stored beside that of the block: that would double the memory.
      if (alarm !== undefined) parts.push(`,"${alarm.name}":${this.#texts[handle] ?? wholeText(alarm)}`);
    }
    const made = Buffer.from(parts.join(''));
    this.#blocks[block] = made;
    return made;
  }
}

/** Each item has a comma before it; the first one's makes room for what opens the list. */
function enclosed(pieces: Pieces, [opening, closing]: typeof braces | typeof brackets): Gathered {
  if (pieces.number === 0 && pieces.length === 0) pieces.byte(opening);
  pieces.at(0)[0] = opening;
  pieces.byte(closing);
  return { pieces: pieces.end() };
}

const withoutArea = alarmFields.filter((field) => field !== 'area');

/** As it is shown where no fields are asked for: with an area where it has one. */
function wholeText(alarm: ShownAlarm): string {
  return objectText(alarm, alarm.area === '' ? withoutArea : alarmFields);
}

function objectText(alarm: ShownAlarm, fields: readonly AlarmField[]): string {
  let text = '';
  for (const field of fields) {
    const value = field === 't' ? toTimestamp(alarm.timeUs) : alarm[field];
    text += `${text === '' ? '{' : ','}"${field}":${JSON.stringify(value)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}
