// A variable that holds a list of entries, each with a name and variables of its own, such as further users: one a line,
// `joe: authKey=file:joe level="with spaces"`.
import { ValueError } from '@telltale/schema';

export interface Entry {
  readonly name: string;
  readonly texts: Readonly<Record<string, string>>;
}

const maxEntries = 256;
const namePattern = /^[A-Za-z_][-A-Za-z0-9_]{0,62}$/;
/** `key=value`, or `key="value"` as JSON writes a text. */
const pair = /([A-Za-z][A-Za-z0-9_]*)=("(?:[^"\\]|\\.)*"|[^\s";#]*)(?=[\s;]|$)/y;

/** Entries end with their line or a semicolon; what follows a `#` at the beginning of a line is a comment. */
export function parseEntries(text: string): Entry[] {
  const entries = new Map<string, Entry>();
  for (const line of splitEntries(text)) {
    const entry = parseEntry(line);
    if (entries.has(entry.name)) throw new ValueError(`has two entries with the name ${entry.name}`);
    entries.set(entry.name, entry);
    if (entries.size > maxEntries) throw new ValueError(`has more than ${maxEntries} entries`);
  }
  return [...entries.values()];
}

export function formatEntries(entries: readonly Entry[]): string {
  const words = (texts: Entry['texts']) =>
    Object.entries(texts).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return entries.map(({ name, texts }) => `${name}:${words(texts).join('')}`).join('\n');
}

/** A quoted text has no line end, and its semicolons belong to it. */
function splitEntries(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line));
  return lines.flatMap(splitLine).filter((entry) => entry !== '');
}

function splitLine(line: string): string[] {
  const entries: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === '\\' && isQuoted) at++;
    else if (line[at] === ';' && !isQuoted) {
      entries.push(line.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...entries, line.slice(start).trim()];
}

function parseEntry(line: string): Entry {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim();
  if (!namePattern.test(name)) {
    throw new ValueError('must be entries such as joe: key=value key="a value": one of them has no name and colon');
  }
  const texts = new Map<string, string>();
  let at = colon + 1;
  for (;;) {
    while (/\s/.test(line[at] ?? '')) at++;
    if (at >= line.length) break;
    pair.lastIndex = at;
    const [whole, key = '', value = ''] = pair.exec(line) ?? [];
    if (whole === undefined) throw new ValueError(`has an entry ${name} in which something is not key=value`);
    if (texts.has(key)) throw new ValueError(`has an entry ${name} with ${key} twice`);
    texts.set(key, value.startsWith('"') ? unquoted(name, value) : value);
    at += whole.length;
  }
  return { name, texts: Object.fromEntries(texts) };
}

function unquoted(name: string, value: string): string {
  try {
    return JSON.parse(value) as string;
  } catch {
    throw new ValueError(`has an entry ${name} with a wrong escape in quotes: \\" and \\\\ are allowed`);
  }
}
