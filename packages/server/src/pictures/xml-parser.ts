// Reads an XML document of a stranger: strictly, with its namespaces, and without entities of its own. What its elements mean is
// not known here.
import { SvgFault } from './svg-fault.ts';

export interface XmlName {
  /** Empty: in none. */
  readonly namespace: string;
  readonly local: string;
}

export interface XmlAttribute extends XmlName {
  readonly value: string;
}

export interface XmlVisitor {
  open(name: XmlName, attributes: readonly XmlAttribute[]): void;
  close(): void;
  text(text: string): void;
}

export const mostElements = 50_000;
export const mostDepth = 64;
export const mostAttributes = 256;
const mostNamespaceLength = 512;

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
const xmlnsNamespace = 'http://www.w3.org/2000/xmlns/';

const nameForm = /[A-Za-z_:\u0080-\uffff][-\w.:\u0080-\uffff]*/y;
const spaceForm = /[\t\n ]*/y;
const unfit = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

interface OpenElement {
  /** As it is written. */
  readonly name: string;
  /** What the prefixes that it declares were before. */
  readonly outer: Prefixes;
}

type Prefixes = ReadonlyMap<string, string | undefined>;

/** Throws `SvgFault` at the first thing that is wrong. */
export function parseXml(document: string, visitor: XmlVisitor): void {
  const plain = document.startsWith('\ufeff') ? document.slice(1) : document;
  new XmlParser(plain.includes('\r') ? plain.replaceAll(/\r\n?/g, '\n') : plain, visitor).parse();
}

const none: Prefixes = new Map();

class XmlParser {
  readonly #text: string;
  readonly #visitor: XmlVisitor;
  readonly #open: OpenElement[] = [];
  /** Those that are in force where it reads; undefined again behind where they were. */
  readonly #prefixes = new Map<string, string | undefined>();
  #at = 0;
  #elements = 0;

  constructor(text: string, visitor: XmlVisitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  parse(): void {
    const text = this.#text;
    const wrong = text.search(unfit);
    if (wrong >= 0) this.#fail('has a character that XML does not allow', wrong);
    if (!text.isWellFormed()) throw new SvgFault('has half of a surrogate pair');
    while (this.#at < text.length) {
      const tag = text.indexOf('<', this.#at);
      const end = tag < 0 ? text.length : tag;
      if (end > this.#at) this.#characters(this.#at, end);
      this.#at = end;
      if (tag >= 0) this.#markup(tag);
    }
    const last = this.#open.at(-1);
    if (last !== undefined) this.#fail(`ends before </${last.name}>`, text.length);
    if (this.#elements === 0) this.#fail('has no element: it is no SVG', text.length);
  }

  #markup(tag: number): void {
    const text = this.#text;
    const next = text[tag + 1];
    if (next === '/') this.#endTag(tag);
    else if (next === '?') this.#at = this.#behind('?>', tag, 'a processing instruction');
    else if (text.startsWith('<!--', tag)) this.#at = this.#behind('-->', tag + 4, 'a comment');
    else if (text.startsWith('<![CDATA[', tag)) this.#cdata(tag);
    else if (text.startsWith('<!DOCTYPE', tag)) this.#documentType(tag);
    else this.#startTag(tag);
  }

  #cdata(tag: number): void {
    const end = this.#behind(']]>', tag, 'a CDATA section');
    if (this.#open.length === 0) this.#fail('has text outside of its element', tag);
    this.#visitor.text(this.#text.slice(tag + 9, end - 3));
    this.#at = end;
  }

  /** One that only says which language it is, as old editors write it, means nothing. */
  #documentType(tag: number): void {
    const end = this.#text.indexOf('>', tag);
    const inner = end < 0 ? '' : this.#text.slice(tag, end);
    if (end < 0 || inner.includes('[') || this.#elements > 0) {
      this.#fail('has a document type with entities: save it as plain SVG', tag);
    }
    this.#at = end + 1;
  }

  #startTag(tag: number): void {
    if (this.#elements > 0 && this.#open.length === 0) this.#fail('has a second outermost element', tag);
    if (++this.#elements > mostElements) this.#fail(`has more than ${mostElements} elements`, tag);
    if (this.#open.length >= mostDepth) this.#fail(`has elements more than ${mostDepth} deep`, tag);
    this.#at = tag + 1;
    const name = this.#name('the name of an element');
    const written: { name: string; value: string; at: number }[] = [];
    let isEmpty = false;
    for (;;) {
      const hasSpace = this.#space();
      const next = this.#text[this.#at];
      if (next === '>') break;
      if (next === '/' && this.#text[this.#at + 1] === '>') {
        isEmpty = true;
        this.#at++;
        break;
      }
      if (!hasSpace) this.#fail(`<${name.slice(0, 80)}> is not closed by >`, this.#at);
      if (written.length >= mostAttributes)
        this.#fail(`has an element with more than ${mostAttributes} attributes`, tag);
      written.push(this.#attribute());
    }
    this.#at++;
    const outer = this.#declare(written);
    const attributes: XmlAttribute[] = [];
    const seen = new Set<string>();
    for (const { name: attribute, value, at } of written) {
      const resolved = this.#resolve(attribute, '', at);
      const key = `${resolved.namespace} ${resolved.local}`;
      if (seen.has(key)) this.#fail(`has the attribute ${attribute.slice(0, 80)} twice in an element`, at);
      seen.add(key);
      if (resolved.namespace !== xmlnsNamespace) attributes.push({ ...resolved, value });
    }
    this.#visitor.open(this.#resolve(name, this.#prefixes.get('') ?? '', tag), attributes);
    this.#open.push({ name, outer });
    if (isEmpty) this.#close();
  }

  #close(): void {
    for (const [prefix, namespace] of this.#open.pop()?.outer ?? []) this.#prefixes.set(prefix, namespace);
    this.#visitor.close();
  }

  #attribute(): { name: string; value: string; at: number } {
    const at = this.#at;
    const name = this.#name('the name of an attribute');
    this.#space();
    if (this.#text[this.#at] !== '=') this.#fail(`the attribute ${name.slice(0, 80)} has no value`, at);
    this.#at++;
    this.#space();
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") this.#fail(`the value of ${name.slice(0, 80)} is not in quotes`, this.#at);
    const from = this.#at + 1;
    const to = this.#text.indexOf(quote as string, from);
    if (to < 0) this.#fail(`the value of ${name.slice(0, 80)} has no end`, from);
    const value = this.#text.slice(from, to);
    if (value.includes('<')) this.#fail(`the value of ${name.slice(0, 80)} has a <: write &lt;`, from);
    this.#at = to + 1;
    return { name, value: this.#unescaped(value.replaceAll(/[\n\t]/g, ' '), from), at };
  }

  #declare(attributes: readonly { name: string; value: string; at: number }[]): Prefixes {
    let outer: Map<string, string | undefined> | undefined;
    for (const { name, value, at } of attributes) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      const prefix = name.slice('xmlns:'.length);
      const isForm = name === 'xmlns' || (value !== '' && prefix !== 'xmlns');
      if (!isForm || value.length > mostNamespaceLength) this.#fail(`${name.slice(0, 80)} is not allowed`, at);
      outer ??= new Map();
      if (!outer.has(prefix)) outer.set(prefix, this.#prefixes.get(prefix));
      this.#prefixes.set(prefix, value);
    }
    return outer ?? none;
  }

  #resolve(name: string, unprefixed: string, at: number): XmlName {
    const colon = name.indexOf(':');
    if (colon < 0) return { namespace: name === 'xmlns' ? xmlnsNamespace : unprefixed, local: name };
    const [prefix, local] = [name.slice(0, colon), name.slice(colon + 1)];
    if (local === '' || local.includes(':')) this.#fail(`${name.slice(0, 80)} is no name`, at);
    if (prefix === 'xmlns') return { namespace: xmlnsNamespace, local };
    const namespace = prefix === 'xml' ? xmlNamespace : this.#prefixes.get(prefix);
    if (namespace === undefined || prefix === '') {
      return this.#fail(
        `${name.slice(0, 80)} has a prefix that is not declared: xmlns:${prefix.slice(0, 80)} is missing`,
        at,
      );
    }
    return { namespace, local };
  }

  #endTag(tag: number): void {
    this.#at = tag + 2;
    const name = this.#name('the name of an element');
    this.#space();
    if (this.#text[this.#at] !== '>') this.#fail(`</${name.slice(0, 80)} is not closed by >`, this.#at);
    this.#at++;
    const open = this.#open.at(-1);
    if (open === undefined) this.#fail(`</${name.slice(0, 80)}> ends nothing`, tag);
    else if (open.name !== name)
      this.#fail(`</${name.slice(0, 80)}> stands where </${open.name.slice(0, 80)}> is due`, tag);
    this.#close();
  }

  #characters(from: number, to: number): void {
    const text = this.#text.slice(from, to);
    if (this.#open.length > 0) this.#visitor.text(this.#unescaped(text, from));
    else if (text.trim() !== '') this.#fail('has text outside of its element: it is no SVG', from + text.search(/\S/));
  }

  #unescaped(text: string, from: number): string {
    if (!text.includes('&')) return text;
    return text.replaceAll(/&([^;&\s]{0,32};)?/g, (_, entity: string | undefined, at: number) => {
      const name = entity?.slice(0, -1) ?? '';
      const known = Object.hasOwn(named, name) ? named[name] : undefined;
      if (known !== undefined) return known;
      const [, hex, decimal] = /^#(?:x([\da-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? [];
      const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
      const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      const character = isCharacter ? String.fromCodePoint(code) : '\0';
      if (!unfit.test(character)) return character;
      return this.#fail(entity === undefined ? 'has an & alone: write &amp;' : `&${entity} is not known`, from + at);
    });
  }

  #name(what: string): string {
    nameForm.lastIndex = this.#at;
    const [name] = nameForm.exec(this.#text) ?? this.#fail(`${what} is missing: write &lt; for a <`, this.#at);
    this.#at += name.length;
    return name;
  }

  #space(): boolean {
    spaceForm.lastIndex = this.#at;
    const [space = ''] = spaceForm.exec(this.#text) ?? [];
    this.#at += space.length;
    return space !== '';
  }

  #behind(end: string, from: number, what: string): number {
    const at = this.#text.indexOf(end, from);
    return at < 0 ? this.#fail(`${what} has no end`, from) : at + end.length;
  }

  #fail(message: string, at: number): never {
    throw new SvgFault(message, this.#text, at);
  }
}
