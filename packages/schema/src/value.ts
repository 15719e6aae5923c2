// The codec of values: their text with and without the datatype's prefix, to and from memory. It accepts exactly the
// forms of the data-access document; the traits of each datatype say which.
import { type Datatype, datatypes, form, isDatatype, traitsOf } from './datatype.ts';
import { quoted, type Value, ValueError } from './value-text.ts';

/** One part for the datatypes whose texts have the same form: `[il][+-]?[0-9]+`. */
export const prefixedValuePattern = `^(?:${[...Map.groupBy(datatypes, (datatype) => traitsOf(datatype).pattern)]
  .map(([pattern, [first = '', ...more]]) => (more.length === 0 ? first : `[${first}${more.join('')}]`) + pattern)
  .join('|')})$`;

export function parsePrefixed(text: string): { datatype: Datatype; value: Value } {
  const datatype = text.charAt(0);
  if (!isDatatype(datatype)) {
    throw new ValueError(
      `${quoted(text)} does not start with a datatype: one of ${datatypes.join(', ')}, then the value`,
    );
  }
  return { datatype, value: parseText(datatype, text.slice(1)) };
}

/** Refuses a prefix other than the given datatype. */
export function parsePrefixedAs(datatype: Datatype, text: string): Value {
  if (text.charAt(0) !== datatype) {
    const meant = isBare(datatype, text) ? `; write ${datatype}${text}` : ', the datatype here, followed by the value';
    throw new ValueError(`${quoted(text)} does not start with ${datatype}${meant}`);
  }
  return parseText(datatype, text.slice(1));
}

/** Whether only the prefix is missing. */
function isBare(datatype: Datatype, text: string): boolean {
  if (traitsOf(datatype).form === form.text || text.length > 30) return false;
  try {
    parseText(datatype, text);
    return true;
  } catch {
    return false;
  }
}

export function formatPrefixed(datatype: Datatype, value: Value): string {
  return datatype + formatText(datatype, value);
}

/** Whether a value with its prefix is a text. */
export function isPrefixedText(prefixed: string): boolean {
  const datatype = prefixed.charAt(0);
  return isDatatype(datatype) && traitsOf(datatype).form === form.text;
}

export function zeroOf(datatype: Datatype): Value {
  return traitsOf(datatype).zero;
}

/** Reads the text of a value that has no prefix. */
export function parseText(datatype: Datatype, text: string): Value {
  return traitsOf(datatype).parse(text);
}

/** Writes a value without a prefix. Refuses a value that its datatype cannot hold exactly. */
export function formatText(datatype: Datatype, value: Value): string {
  return traitsOf(datatype).format(value);
}
