// What becomes of a reading, written down plainly from the rules: what tests hold the measurement chain against.
import { type Datatype, formatText, type Measurement, parseText, type Value } from '@telltale/schema';

export type Given = Exclude<Value, boolean> | undefined;

/** As the codec takes it, or undefined where it refuses. */
function attempt(value: () => Value): Value | undefined {
  try {
    return value();
  } catch {
    return undefined;
  }
}

/** MC-1, by the codec of values. */
export function rawOf(datatype: Datatype, given: Given): Value | undefined {
  if (given === undefined) return undefined;
  let value: Value = given;
  if (typeof given === 'number' && !'fd'.includes(datatype)) value = given + 0; // no negative zero
  if (datatype === 'l' && Number.isSafeInteger(given)) value = BigInt(given);
  if (datatype === 'b' && (given === 0 || given === 1)) value = given === 1;
  if (datatype === 'f' && typeof given === 'number') value = Math.fround(given);
  return attempt(() => {
    formatText(datatype, value);
    return value;
  });
}

/** MC-2. */
export function convertedTo(datatype: Datatype, raw: Value): Value | undefined {
  return attempt(() => {
    if (typeof raw === 'string') return parseText(datatype, raw);
    if (datatype === 's') return typeof raw === 'bigint' ? String(raw) : formatText('d', Number(raw));
    if (datatype === 'd') return Number(raw);
    if (datatype === 'f') return parsed('f', Math.fround(Number(raw)));
    const whole = typeof raw === 'bigint' ? raw : BigInt(Math.round(Number(raw)));
    return parseText(datatype, String(whole));
  });
}

function parsed(datatype: Datatype, value: Value): Value {
  formatText(datatype, value);
  return value;
}

export interface Outcome {
  readonly value: Value;
  readonly quality: number;
}

/** MC-1 to MC-8; undefined where the reading is no change. Ranges and values that doubles hold exactly are expected. */
export function plainReading(point: Measurement, last: Outcome, given: Given, status: number): Outcome | undefined {
  const { datatype, rawDatatype = datatype, stackUmask = 0 } = point;
  const raw = rawOf(rawDatatype, given);
  const ends = [point.rawRangeLo, point.rawRangeHi, point.euRangeLo, point.euRangeHi].map(Number);
  const [rawLo = 0, rawHi = 0, euLo = 0, euHi = 0] = ends;
  const isScaled = (stackUmask & 2) === 0 && !ends.some(Number.isNaN);
  const line = euLo + ((Number(raw) - rawLo) / (rawHi - rawLo)) * (euHi - euLo);
  const value = raw === undefined ? undefined : convertedTo(datatype, isScaled ? line : raw);
  let quality = status & 0x7fff;
  if (value === undefined) quality = (quality & 0xc0) === 0 ? quality : 0x10;
  else if (isScaled && (quality & 0xc0) === 0xc0) {
    if (line > Math.max(euLo, euHi)) quality = (quality & 0xff00) | 0x56;
    if (line < Math.min(euLo, euHi)) quality = (quality & 0xff00) | 0x55;
  }
  const next = { value: value ?? last.value, quality };
  if (quality !== last.quality) return next;
  if ((stackUmask & 4) === 0 && next.value === last.value) return undefined;
  const { deadband } = point;
  if (deadband === undefined || (stackUmask & 8) !== 0 || datatype === 's') return next;
  return Math.abs(Number(next.value) - Number(last.value)) < Number(deadband) ? undefined : next;
}
