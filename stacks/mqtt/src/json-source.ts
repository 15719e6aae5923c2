// The source text of one part of a JSON document: what a number too large for a double really is. Pure.

/** Of a text that JSON.parse takes; undefined where the part is not there. Of equal names the last counts, as there. */
export function jsonSource(text: string, path: readonly string[]): string | undefined {
  let at = skipSpace(text, 0);
  for (const step of path) {
    const found = text[at] === '{' ? memberAt(text, at, step) : text[at] === '[' ? elementAt(text, at, step) : -1;
    if (found < 0) return undefined;
    at = found;
  }
  return text.slice(at, endOfValue(text, at));
}

/** Where the value of the member begins, or -1. */
function memberAt(text: string, open: number, name: string): number {
  let found = -1;
  let at = skipSpace(text, open + 1);
  while (text[at] === '"') {
    const end = endOfText(text, at);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (JSON.parse(text.slice(at, end)) === name) found = value;
    at = nextItem(text, endOfValue(text, value));
  }
  return found;
}

function elementAt(text: string, open: number, step: string): number {
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(step)) return -1;
  let at = skipSpace(text, open + 1);
  for (let left = Number(step); text[at] !== ']'; left--) {
    if (left === 0) return at;
    at = nextItem(text, endOfValue(text, at));
    if (at >= text.length) return -1;
  }
  return -1;
}

/** Behind the comma, or at the closing bracket. */
function nextItem(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfText(text, start);
  let at = start;
  if (first !== '{' && first !== '[') {
    while (at < text.length && !' \t\r\n,]}'.includes(text.charAt(at))) at++;
    return at;
  }
  let depth = 0;
  do {
    const char = text[at];
    if (char === '"') {
      at = endOfText(text, at);
      continue;
    }
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    at++;
  } while (depth > 0 && at < text.length);
  return at;
}

function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}
