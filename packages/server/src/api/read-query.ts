// Reads the query of a request parameter by parameter, by the schema of its route: an unknown or repeated parameter is
// reported as it is met, and reading stops at the 20th fault. So 40,000 parameters cost what 20 do. A plus sign is a plus
// sign, as in a path: values have signs.
import { type Checker, checker, type Fault, maxFaults, ProblemError } from '@telltale/schema';
import type { TObject } from 'typebox';
import { type ListItem, readItems } from './read-list.ts';

/** Parameters that are lists, and of what. */
type Lists = ReadonlyMap<string, ListItem>;

export type Query = Readonly<Record<string, unknown>>;

/** Separators in a row, without a parameter between them, are ignored; so many are allowed. */
const mostEmpty = 20;

const notEncoded = 'is not percent-encoded UTF-8; write % as %25';

/** Reads the query of one route, the part behind the `?`; compiled by the first request. Throws `ProblemError`. */
export function queryReader(schema: TObject, lists: Lists = new Map()): (text: string) => Query {
  const check = checker(schema);
  const known = new Set(Object.keys(schema.properties));
  let isEmptyGood: boolean | undefined;
  return (text) => {
    isEmptyGood ??= check.fits({});
    if (text === '' && isEmptyGood) return Object.create(null) as Query;
    return withLists(checked(check, readParameters(text, known)), lists);
  };
}

function withLists(query: Query, lists: Lists): Query {
  if (lists.size === 0) return query;
  const read: Record<string, unknown> = { ...query };
  for (const [name, items] of lists) {
    const list = query[name];
    if (typeof list === 'string') read[name] = readItems(name, list, items);
  }
  return read;
}

function readParameters(text: string, known: ReadonlySet<string>): Record<string, string> {
  const found = Object.create(null) as Record<string, string>;
  const faults: Fault[] = [];
  let empty = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('&', start);
    const piece = text.slice(start, end < 0 ? undefined : end);
    start = end < 0 ? text.length : end + 1;
    if (piece === '') {
      if (++empty > mostEmpty) throw refusal([{ path: '', message: 'the query is a row of &' }]);
      continue;
    }
    const equals = piece.indexOf('=');
    const rawName = equals < 0 ? piece : piece.slice(0, equals);
    const name = decoded(rawName);
    const value = equals < 0 ? '' : decoded(piece.slice(equals + 1));
    if (name?.startsWith('_')) continue; // a cache buster
    if (name === undefined) faults.push({ path: rawName.slice(0, 80), message: notEncoded });
    else if (!known.has(name)) faults.push({ path: name.slice(0, 80), message: unknown(known) });
    else if (name in found) faults.push({ path: name, message: 'is given more than once' });
    else if (value === undefined) faults.push({ path: name, message: notEncoded });
    else found[name] = value;
    if (faults.length === maxFaults) break;
  }
  if (faults.length > 0) throw refusal(faults);
  return found;
}

/** Undefined where it is not UTF-8, or not percent-encoded. */
function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function checked(check: Checker, given: Record<string, string>): Query {
  const coerced = check.coerce(given);
  if (check.fits(coerced)) return coerced as Query;
  throw refusal(check.faults(coerced).map(({ path, message }) => ({ path: path.slice(1), message })));
}

function refusal(faults: Fault[]): ProblemError {
  const [first] = faults;
  return new ProblemError('invalid-query', `${first?.path} ${first?.message}.`.trim(), faults);
}

function unknown(known: ReadonlySet<string>): string {
  return known.size === 0
    ? 'is unknown; there are no parameters here'
    : `is unknown; known are ${[...known].join(', ')}`;
}
