// The number that was probably meant by a text that is none: with a space, a decimal comma, an exponent or a unit.

/** Any longer text is no slip of the pen. */
const maxLength = 40;

/** A decimal number, without an exponent, and with its sign of a share where it has one; undefined where none is meant. */
export function meantNumber(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  const [, sign = '', digits = '', exponent, rest = ''] =
    /^\s*([+-]?)\s*(\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE]([+-]?\d{1,2}))?\s*(\D*)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const unit = rest.trim();
  const number = (sign === '-' ? '-' : '') + shifted(digits.replace(',', '.'), Number(exponent ?? 0));
  return unit === '%' ? `${number}%` : number;
}

/** With the decimal point so many places further right. */
function shifted(digits: string, places: number): string {
  if (places === 0) return digits;
  const [whole = '', fraction = ''] = digits.split('.');
  const all = '0'.repeat(Math.max(0, -places)) + whole + fraction + '0'.repeat(Math.max(0, places));
  const point = Math.max(0, -places) + whole.length + places;
  const before = all.slice(0, point).replace(/^0+(?=\d)/, '');
  const after = all.slice(point).replace(/0+$/, '');
  return after === '' ? before : `${before === '' ? '0' : before}.${after}`;
}
