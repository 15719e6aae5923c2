// Makes an SVG harmless: what is listed in `svg-forms.ts` stays, styles become attributes, and all else is gone. The result has one
// form, and cleaned again it is the same.
import { SvgFault } from './svg-fault.ts';
import { attributeValue, classesIn, elements, groups, plainTexts, properties, texts } from './svg-forms.ts';
import { SvgStyles } from './svg-styles.ts';
import { parseXml, type XmlAttribute, type XmlName } from './xml-parser.ts';

/** Of what is left. */
export const maxCleanLength = 1 << 20;
/** With what `use` repeats. */
const mostDrawn = 200_000;

const svgNamespace = 'http://www.w3.org/2000/svg';
const xlinkNamespace = 'http://www.w3.org/1999/xlink';
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

interface Element {
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly classes: readonly string[];
  readonly style: string | undefined;
  readonly children: (Element | string)[];
}

/** Throws `SvgFault` where it is no SVG, or beyond the limits. */
export function cleanSvg(document: string): string {
  const reader = new Reader();
  parseXml(document, reader);
  const { root, styles, all } = reader;
  if (root === undefined) throw new SvgFault('its outermost element is not svg: it is no SVG');
  applyStyles(all, styles);
  setViewBox(root);
  const ids = uniqueIds(all);
  refuseRepetition(root, all, ids);
  return new Writer().write(root);
}

/** Takes over what may stay, with its subtree or without. */
class Reader {
  readonly styles = new SvgStyles();
  root: Element | undefined;
  /** In the order of the document. */
  readonly all: Element[] = [];
  readonly #open: Element[] = [];
  /** How deep within something that is removed. */
  #skipped = 0;
  #sheet: string | undefined;
  /** Of a document without namespaces, which is drawn by hand, every element is one of SVG. */
  #ours: string | undefined;

  open({ namespace, local }: XmlName, attributes: readonly XmlAttribute[]): void {
    this.#ours ??= namespace === '' ? '' : svgNamespace;
    const parent = this.#open.at(-1);
    const isOurs = namespace === this.#ours && this.#skipped === 0;
    const isKnown = isOurs && (elements.has(local) || groups.has(local));
    const mayBeHere = parent === undefined ? this.root === undefined && local === 'svg' : !plainTexts.has(parent.name);
    if (!isKnown || !mayBeHere) {
      if (isOurs && local === 'style') this.#sheet = '';
      this.#skipped++;
      return;
    }
    const element = elementOf(groups.has(local) ? 'g' : local, attributes);
    if (parent === undefined) this.root = element;
    else parent.children.push(element);
    this.#open.push(element);
    this.all.push(element);
  }

  close(): void {
    if (this.#skipped === 0) {
      this.#open.pop();
      return;
    }
    this.#skipped--;
    if (this.#skipped > 0 || this.#sheet === undefined) return;
    this.styles.add(this.#sheet);
    this.#sheet = undefined;
  }

  text(text: string): void {
    if (this.#skipped > 0) {
      if (this.#sheet !== undefined && this.#skipped === 1) this.#sheet += text;
      return;
    }
    const element = this.#open.at(-1);
    if (element === undefined || text === '' || !texts.has(element.name)) return;
    const { children } = element;
    const last = children.at(-1);
    if (typeof last === 'string') children[children.length - 1] = last + text;
    else children.push(text);
  }
}

function elementOf(name: string, given: readonly XmlAttribute[]): Element {
  const attributes = new Map<string, string>();
  let [style, classes]: [string | undefined, string[]] = [undefined, []];
  for (const { namespace, local, value } of given) {
    const isXlink = namespace === xlinkNamespace && local === 'href';
    if (namespace === '' && local === 'style') style = value;
    else if (namespace === xmlNamespace && local === 'space' && value === 'preserve')
      attributes.set('xml:space', value);
    if (namespace !== '' && !isXlink) continue;
    if (local === 'class') classes = classesIn(value);
    if (isXlink && attributes.has('href')) continue; // the one without a namespace counts
    const clean = attributeValue(name, local, value);
    if (clean !== undefined) attributes.set(local, clean);
  }
  return { name, attributes, classes, style, children: [] };
}

function applyStyles(all: readonly Element[], styles: SvgStyles): void {
  for (const { name, attributes, classes, style } of all) {
    const found = styles.of({ name, id: attributes.get('id'), classes, style });
    for (const [property, value] of found) attributes.set(property, value);
  }
}

/** Without one it could not be scaled. */
function setViewBox({ attributes }: Element): void {
  if (attributes.has('viewBox')) return;
  const [width, height] = ['width', 'height'].map(
    (side) => /^(\d{1,6}(?:\.\d{1,6})?)(?:px)?$/.exec(attributes.get(side) ?? '')?.[1],
  );
  if (width !== undefined && height !== undefined) attributes.set('viewBox', `0 0 ${width} ${height}`);
}

/** The first one has it. */
function uniqueIds(all: readonly Element[]): ReadonlyMap<string, Element> {
  const ids = new Map<string, Element>();
  for (const element of all) {
    const id = element.attributes.get('id');
    if (id === undefined) continue;
    if (ids.has(id)) element.attributes.delete('id');
    else ids.set(id, element);
  }
  return ids;
}

const referenceForm = /url\(#([^)]*)\)/g;
const drawn = new Set(['pattern', 'mask', 'clipPath', 'marker', 'filter']);

/** What is elsewhere and drawn here again, and how often. */
function* drawnBy(
  { name, attributes }: Element,
  ids: ReadonlyMap<string, Element>,
  allCorners: number,
): Generator<[Element, number]> {
  const used = name === 'use' || name === 'pattern' ? ids.get(attributes.get('href')?.slice(1) ?? '') : undefined;
  if (used !== undefined) yield [used, 1];
  for (const [attribute, value] of attributes) {
    if (!value.includes('url(') || !properties.has(attribute)) continue;
    const times = attribute === 'marker-mid' ? (cornersOf(attributes) ?? allCorners) : 1;
    for (const [, id = ''] of value.matchAll(referenceForm)) {
      const target = ids.get(id);
      if (target !== undefined && drawn.has(target.name)) yield [target, times];
    }
  }
}

/** At most: no corner is shorter than `h1`. Undefined of what is no line itself; what is in it has its markers then. */
function cornersOf(attributes: ReadonlyMap<string, string>): number | undefined {
  const line = attributes.get('d') ?? attributes.get('points');
  return line === undefined ? undefined : Math.ceil(line.length / 2);
}

/** A few lines of `use` of `use` could draw as much as no browser can. */
function refuseRepetition(root: Element, all: readonly Element[], ids: ReadonlyMap<string, Element>): void {
  const allCorners = all.reduce((sum, { attributes }) => sum + (cornersOf(attributes) ?? 0), 0);
  const counts = new Map<Element, number | undefined>();
  const countOf = (element: Element, depth: number): number => {
    if (counts.has(element)) {
      const known = counts.get(element);
      if (known === undefined) throw new SvgFault('has an element that repeats itself, by use or by url(#…)');
      return known;
    }
    if (depth > 1000) throw new SvgFault('has use elements that repeat each other too deep');
    counts.set(element, undefined);
    let count = 1;
    for (const child of element.children) if (typeof child !== 'string') count += countOf(child, depth + 1);
    for (const [target, times] of drawnBy(element, ids, allCorners)) count += times * countOf(target, depth + 1);
    if (count > mostDrawn) throw new SvgFault(`draws more than ${mostDrawn} elements, with what use repeats`);
    counts.set(element, count);
    return count;
  };
  countOf(root, 0);
}

class Writer {
  readonly #parts: string[] = [];
  #length = 0;

  write(root: Element): string {
    this.#element(root, ` xmlns="${svgNamespace}"`, false);
    return this.#parts.join('');
  }

  /** In texts, every space counts; elsewhere each element has a line. */
  #element({ name, attributes, children }: Element, more: string, isInText: boolean): void {
    let tag = `<${name}${more}`;
    for (const [attribute, value] of attributes) tag += ` ${attribute}="${escapedValue(value)}"`;
    this.#put(children.length === 0 ? `${tag}/>` : `${tag}>`);
    if (children.length === 0) return;
    const isText = isInText || texts.has(name);
    for (const child of children) {
      if (!isText) this.#put('\n');
      if (typeof child === 'string') this.#put(escapedText(child));
      else this.#element(child, '', isText);
    }
    this.#put(`${isText ? '' : '\n'}</${name}>`);
  }

  #put(text: string): void {
    this.#length += text.length;
    if (this.#length > maxCleanLength)
      throw new SvgFault(`has more than ${maxCleanLength} characters when it is cleaned`);
    this.#parts.push(text);
  }
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Few texts have any. */
const special = /[&<>"\t\n\r]/;

function escapedText(text: string): string {
  if (!special.test(text)) return text;
  return text.replaceAll(/[&<>\r]/g, (each) => escapes[each] ?? '&#13;');
}

/** A reader would make spaces of these spaces. */
function escapedValue(value: string): string {
  if (!special.test(value)) return value;
  return value.replaceAll(/[&<>"\t\n\r]/g, (each) => escapes[each] ?? `&#${each.charCodeAt(0)};`);
}
