// What a site says of itself every second, as JSON: which start of which version it is, its clocks, and its accounts.
import { checker, parseJson, SiteAlarms, SitePoints } from '@telltale/schema';
import Type, { type Static } from 'typebox';

/** Times as well: what is not in between has no timestamp. */
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const orNull = <const Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** How far the archive of the site is sent to the store. */
export const BeatUplink = Type.Object({
  /** Why nothing is sent now; null: it is. */
  failure: orNull(Type.String({ maxLength: 1000 })),
  epoch: orNull(Count),
  /** The newest parcel that the store has of the epoch, and when it had it. */
  seq: Count,
  sentAtUs: orNull(Count),
  /** Records: sent in this epoch, waiting, and the time of the oldest of these; 0: none waits. */
  sent: Count,
  waiting: Count,
  oldestUnsentUs: Count,
  /** Stored, and dropped before that. */
  stored: Count,
  dropped: Count,
  /** Deleted before they were sent. */
  discarded: Type.Object({ count: Count, sinceUs: Count, untilUs: Count }),
});
export type BeatUplink = Static<typeof BeatUplink>;

/** Of a beat: one of a higher form means something else by what it says. */
const beatForm = 1;

/** A newer site may say more. */
export const Beat = Type.Object({
  /** Missing: 1. */
  form: Type.Optional(Type.Integer({ minimum: 1, maximum: beatForm })),
  /** Of this start of the site: another one after each. */
  run: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
  /** Counts up from 1. */
  number: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** By the site's clocks: monotonic, and the time of day. */
  monotonicMs: Type.Number({ minimum: 0 }),
  nowUs: Count,
  /** Of the lease or of the store: who acts for the site. Null: neither has given one. */
  epoch: orNull(Count),
  name: Type.String({ maxLength: 256 }),
  /** Which of several nodes of the site it is, that leads under this epoch; null: it is the only one. */
  node: Type.Optional(orNull(Type.String({ maxLength: 256 }))),
  version: Type.String({ maxLength: 64 }),
  /** Null: it sends to no store. */
  uplink: orNull(BeatUplink),
  /** What it has, by quality and by state; null, or not said by an older site: that is not known yet. */
  points: Type.Optional(orNull(SitePoints)),
  alarms: Type.Optional(orNull(SiteAlarms)),
  /** It is the last one. */
  isEnding: Type.Boolean(),
});
export type Beat = Static<typeof Beat>;

const mostBytes = 8192;
const beats = checker(Beat);

export function beatText(beat: Beat): string {
  return JSON.stringify({ form: beatForm, ...beat });
}

/** Undefined: it is none. `newer`: it is of a version that says it in another form. */
export function readBeat(data: Uint8Array): Beat | 'newer' | undefined {
  if (data.length > mostBytes) return undefined;
  try {
    const read = parseJson(Buffer.from(data.buffer, data.byteOffset, data.length).toString());
    if (beats.fits(read)) return read as Beat;
    const { form } = Object(read) as { readonly form?: unknown };
    return typeof form === 'number' && form > beatForm ? 'newer' : undefined;
  } catch {
    return undefined;
  }
}
