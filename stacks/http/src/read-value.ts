// What a JSON value is in a datatype: numbers also as texts, whole numbers exactly. Pure.
import { type Datatype, fits, form, isFitText, traitsOf } from '@telltale/schema';

const decimal = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$/;
const whole = /^[+-]?[0-9]{1,30}$/;
const maxNumberText = 400;

/** Numbers stay as they are, however large: the server judges whether they fit. Undefined where it is no such value. */
export function readValue(datatype: Datatype, json: unknown): number | bigint | string | undefined {
  const { form: held, isBoolean } = traitsOf(datatype);
  if (held === form.text) return readText(json);
  if (held === form.long) return readLong(datatype, json);
  return isBoolean ? readBoolean(json) : readNumber(json);
}

function readBoolean(json: unknown): number | undefined {
  if (typeof json === 'boolean') return Number(json);
  if (json === 0 || json === 1) return json;
  if (typeof json !== 'string' || json.length > 5) return undefined;
  const word = json.toLowerCase();
  if (word === 'true' || word === 'on' || word === '1') return 1;
  return word === 'false' || word === 'off' || word === '0' ? 0 : undefined;
}

function readNumber(json: unknown): number | undefined {
  if (typeof json === 'number') return json;
  if (typeof json === 'bigint' || typeof json === 'boolean') return Number(json);
  if (typeof json !== 'string' || json.length > maxNumberText) return undefined;
  const text = json.trim();
  return decimal.test(text) ? Number(text) : undefined;
}

function readLong(datatype: Datatype, json: unknown): bigint | undefined {
  if (typeof json === 'boolean') return BigInt(json);
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : undefined;
  if (typeof json === 'bigint') return fits(traitsOf(datatype), json) ? json : undefined;
  if (typeof json !== 'string' || json.length > maxNumberText) return undefined;
  const text = json.trim();
  return whole.test(text) ? readLong(datatype, BigInt(text.replace(/^\+/, ''))) : undefined;
}

/** Numbers and booleans as JSON has them. */
function readText(json: unknown): string | undefined {
  if (typeof json === 'number' || typeof json === 'bigint' || typeof json === 'boolean') return String(json);
  return typeof json === 'string' && isFitText(json) ? json : undefined;
}
