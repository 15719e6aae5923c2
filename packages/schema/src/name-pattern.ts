// Patterns of names: `*` stands for any characters, also none. There is nothing else to a pattern, so that matching takes
// one pass over the name, whatever the pattern.

export const nameOrPatternPattern = '^[_a-zA-Z0-9*]{1,128}$';
const form = new RegExp(nameOrPatternPattern);

/** Whether a text stands for many names, and not for the one that is written like it. */
export function isPattern(text: string): boolean {
  return text.includes('*');
}

/** A name, or a pattern of names that could match one. */
export function isNameOrPattern(text: string): boolean {
  return form.test(text) && (isPattern(text) || text.length <= 64);
}

export class NamePattern {
  /** What a name begins and ends with. */
  readonly prefix: string;
  readonly suffix: string;
  /** What else is in it, in this order. */
  readonly middle: readonly string[];

  /** Of a text with `*` in it. */
  constructor(text: string) {
    const [prefix = '', ...parts] = text.split('*');
    this.prefix = prefix;
    this.suffix = parts.pop() ?? '';
    this.middle = parts.filter((part) => part !== '');
  }

  matches(name: string): boolean {
    const { prefix, suffix, middle } = this;
    const end = name.length - suffix.length;
    if (end < prefix.length || !name.startsWith(prefix) || !name.endsWith(suffix)) return false;
    let from = prefix.length;
    for (const part of middle) {
      const at = name.indexOf(part, from);
      if (at < 0 || at + part.length > end) return false;
      from = at + part.length;
    }
    return true;
  }
}

/** Whether a name is one of these, or matches one of the patterns among them. */
export function nameMatcher(names: readonly string[]): (name: string) => boolean {
  const plain = new Set(names.filter((name) => !isPattern(name)));
  const patterns = names.filter(isPattern).map((text) => new NamePattern(text));
  return (name) => plain.has(name) || patterns.some((each) => each.matches(name));
}
