// The styles of an SVG, as editors write them: which property an element gets of its `style` and of the rules for its name, its
// classes and its id. Rules of any other form are passed over.
import { SvgFault } from './svg-fault.ts';
import { properties, propertyValue } from './svg-forms.ts';

interface Declaration {
  readonly property: string;
  readonly value: string;
  readonly isImportant: boolean;
}

interface Rule {
  /** All of these: `.class`, `#id`, or the name of an element. */
  readonly parts: readonly string[];
  /** Higher goes before: ids, then classes, then names; then the later one. */
  readonly rank: number;
  readonly declarations: readonly Declaration[];
}

export interface Styled {
  readonly name: string;
  readonly id: string | undefined;
  readonly classes: readonly string[];
  readonly style: string | undefined;
}

const mostRules = 2000;
/** Over all elements. */
const mostApplied = 1_000_000;
/** Of one selector. */
const mostParts = 16;
const compound = /^(?:[A-Za-z][\w-]*|\*)?(?:[.#][\w-]+)*$/;
const partForm = /[.#]?[\w-]+/g;

export class SvgStyles {
  /** By one of their parts; `*` for all. */
  readonly #rules = new Map<string, Rule[]>();
  /** Of `style` attributes: editors write the same ones over and over. */
  readonly #inline = new Map<string, readonly Declaration[]>();
  #count = 0;
  #applied = 0;

  /** The text of a `style` element. */
  add(sheet: string): void {
    const text = withoutComments(sheet).replaceAll(/<!--|-->/g, ' ');
    for (const { selectors, body } of blocksOf(text)) {
      const declarations = declarationsIn(body);
      if (declarations.length === 0) continue;
      for (const selector of selectors.split(',')) this.#addRule(selector.trim(), declarations);
    }
  }

  /** From property to value; nothing that is not harmless. */
  of({ name, id, classes, style }: Styled): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    const inline = style === undefined ? [] : this.#inlineOf(style);
    const ruled = this.#count === 0 ? [] : this.#matching({ name, id, classes });
    for (const isImportant of [false, true]) {
      for (const declarations of [...ruled, inline]) {
        for (const each of declarations) if (each.isImportant === isImportant) found.set(each.property, each.value);
      }
    }
    return found;
  }

  /** The weakest first. */
  #matching({ name, id, classes }: Omit<Styled, 'style'>): (readonly Declaration[])[] {
    const parts = new Set(['*', name, ...(id === undefined ? [] : [`#${id}`]), ...classes.map((each) => `.${each}`)]);
    const matching: Rule[] = [];
    for (const part of parts) {
      for (const rule of this.#rules.get(part) ?? []) {
        this.#applied += 1 + rule.declarations.length;
        if (this.#applied > mostApplied) throw new SvgFault('has styles that apply too often: save it with attributes');
        if (rule.parts.every((each) => parts.has(each))) matching.push(rule);
      }
    }
    return matching.sort((a, b) => a.rank - b.rank).map(({ declarations }) => declarations);
  }

  #inlineOf(style: string): readonly Declaration[] {
    const known = this.#inline.get(style);
    if (known !== undefined) return known;
    const declarations = declarationsIn(withoutComments(style));
    this.#inline.set(style, declarations);
    return declarations;
  }

  #addRule(selector: string, declarations: readonly Declaration[]): void {
    if (selector === '' || !compound.test(selector)) return;
    const parts = selector.match(partForm) ?? ['*'];
    if (parts.length > mostParts) return;
    if (++this.#count > mostRules) throw new SvgFault(`has more than ${mostRules} rules in its styles`);
    const count = (mark: string) => parts.filter((part) => part.startsWith(mark)).length;
    const names = parts.filter((part) => /^\w/.test(part)).length;
    const rank = ((count('#') * 100 + count('.')) * 100 + names) * 10_000 + this.#count;
    const key = parts.at(-1) as string;
    const rules = this.#rules.get(key) ?? [];
    rules.push({ parts, rank, declarations });
    this.#rules.set(key, rules);
  }
}

/** `selectors { body }`, outermost; of `@` rules nothing. */
function* blocksOf(text: string): Generator<{ selectors: string; body: string }> {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    if (open < 0) return;
    const end = text.slice(at, open).lastIndexOf(';'); // behind an @import
    const selectors = text.slice(end < 0 ? at : at + end + 1, open).trim();
    let depth = 1;
    let close = open + 1;
    for (; close < text.length && depth > 0; close++) {
      const code = text.charCodeAt(close);
      if (code === 0x7b) depth++;
      else if (code === 0x7d) depth--;
    }
    if (depth > 0) return;
    if (!selectors.startsWith('@')) yield { selectors, body: text.slice(open + 1, close - 1) };
    at = close;
  }
}

function declarationsIn(body: string): Declaration[] {
  return body.split(';').flatMap((part) => {
    const colon = part.indexOf(':');
    const property = part.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (!properties.has(property)) return [];
    const [text = '', important, ...more] = part.slice(colon + 1).split('!');
    const isForm = more.length === 0 && (important ?? 'important').trim().toLowerCase() === 'important';
    const value = isForm ? propertyValue(text) : undefined;
    return value === undefined ? [] : [{ property, value, isImportant: important !== undefined }];
  });
}

/** As browsers do, one without an end goes on to the end. */
function withoutComments(text: string): string {
  let [plain, at] = ['', 0];
  for (;;) {
    const start = text.indexOf('/*', at);
    if (start < 0) return plain + text.slice(at);
    plain += `${text.slice(at, start)} `;
    const end = text.indexOf('*/', start + 2);
    if (end < 0) return plain;
    at = end + 2;
  }
}
