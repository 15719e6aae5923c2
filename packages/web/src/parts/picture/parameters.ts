// Parameters of a picture: texts that stand for `{name}` in what is bound and written.

/** From name to text. */
export type Scope = ReadonlyMap<string, string>;

const placeholder = /\{([_a-zA-Z0-9]{1,64})\}/g;

/** Of what comes in for the placeholders of one text: what repeats itself in what it repeats would be longer than any memory. */
const mostFilled = 1024;
const mostParameters = 256;

/** Braces around anything that is no parameter stay. */
export function filled(text: string, scope: Scope): string {
  if (!text.includes('{')) return text;
  let room = mostFilled;
  return text.replaceAll(placeholder, (all, name: string) => {
    const value = scope.get(name);
    if (value === undefined || value.length > room) return all;
    room -= value.length;
    return value;
  });
}

export function hasPlaceholder(text: string): boolean {
  return text.includes('{') && text.search(placeholder) >= 0;
}

/** Parts of the address that are not the picture's. */
const ofThePage = new Set(['at', 'edit']);

/** What the picture says, and what its address says instead. */
export function scopeOf(defaults: Readonly<Record<string, string>> | undefined, query: URLSearchParams): Scope {
  const scope = new Map(Object.entries(defaults ?? {}));
  for (const [name, text] of query) if (!ofThePage.has(name)) scope.set(name, text);
  return scope;
}

/** Those of an element, such as `unit=pump2&line=3`, over those around it. */
export function innerScope(text: string, outer: Scope): Scope {
  const scope = new Map(outer);
  for (const [name, value] of pairsOf(text, outer)) if (scope.size < mostParameters) scope.set(name, value);
  return scope;
}

/** As in an address. The texts that come in for placeholders are no part of its form. */
export function pairsOf(text: string, scope: Scope): [string, string][] {
  return [...new URLSearchParams(text)].map(([name, value]) => [name, filled(value, scope)]);
}
