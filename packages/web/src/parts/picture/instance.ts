// A picture as it is shown once: a copy of its nodes in which parameters are filled in, each `use` of something bound is a copy of its
// own, and ids are its own, so that several may stand in one page. Knows what is bound; what it shows is left to the runtime.
import { type Mistake, type PointName, pointNameOf, type ReadBindings, readBindings } from './bindings.ts';
import { filled, hasPlaceholder, innerScope, type Scope } from './parameters.ts';
import { svgNamespace } from './parse-picture.ts';
import { uniqueId } from './unique-id.ts';

export interface Bound extends ReadBindings {
  readonly element: SVGGraphicsElement;
  readonly point: PointName | undefined;
  /** The element that names the point: this one, or one around it. */
  readonly owner: Element | undefined;
  readonly title: string;
}

export interface Instance {
  readonly root: SVGSVGElement;
  readonly bound: readonly Bound[];
  /** From what is shown to what was drawn. */
  readonly sources: WeakMap<Element, Element>;
}

interface Place {
  readonly scope: Scope;
  readonly point: PointName | undefined;
  readonly owner: Element | undefined;
  /** Not within `defs` and the like, which are drawn elsewhere. */
  readonly isDrawn: boolean;
  /** Within the copy of a `use`: ids are those of what it repeats. */
  readonly isRepeated: boolean;
  /** Of `use` within what a `use` repeats. */
  readonly depth: number;
}

/** Beyond so many, `use` would repeat what is bound without its values, as if it were drawn so: the picture is not shown. */
const mostNodes = 60_000;
const mostDepth = 64;
const undrawn = new Set([
  ...['defs', 'symbol', 'marker', 'pattern', 'clipPath', 'mask', 'filter', 'linearGradient', 'radialGradient'],
]);

export function instanceOf(picture: SVGSVGElement, scope: Scope): Instance {
  return new Instantiation(picture).make(scope);
}

class Instantiation {
  readonly #picture: SVGSVGElement;
  readonly #prefix: string;
  readonly #ids = new Map<string, Element>();
  readonly #needsCopy = new Map<Element, boolean>();
  readonly #bound: Bound[] = [];
  readonly #sources = new WeakMap<Element, Element>();
  #nodes = 0;

  constructor(picture: SVGSVGElement) {
    this.#picture = picture;
    this.#prefix = `${uniqueId('picture')}-`;
    for (const element of picture.querySelectorAll('[id]')) this.#ids.set(element.id, element);
  }

  make(scope: Scope): Instance {
    const place: Place = { scope, point: undefined, owner: undefined, isDrawn: true, isRepeated: false, depth: 0 };
    const root = this.#copy(this.#picture, place) as SVGSVGElement;
    return { root, bound: this.#bound, sources: this.#sources };
  }

  #copy(source: Element, around: Place): Element {
    this.#nodes++;
    const parameters = source.getAttribute('data-tt-parameters');
    const scope = parameters === null ? around.scope : innerScope(parameters, around.scope);
    const target = source.localName === 'use' ? this.#targetOf(source) : undefined;
    const isCopied = target !== undefined && around.isDrawn && this.#mustBeCopied(target);
    if (isCopied && (around.depth >= mostDepth || this.#nodes >= mostNodes)) {
      throw new Error(`more than ${mostNodes} elements are repeated with values, or more than ${mostDepth} deep`);
    }
    const copy = isCopied
      ? document.createElementNS(svgNamespace, 'g')
      : (document.importNode(source, false) as Element);
    if (isCopied) for (const { name, value } of source.attributes) if (!ofUse.has(name)) copy.setAttribute(name, value);
    this.#sources.set(copy, source);
    this.#rename(copy, around.isRepeated);
    const place = this.#bind(copy, source, {
      ...around,
      scope,
      isDrawn: around.isDrawn && !undrawn.has(source.localName),
    });
    if (isCopied) this.#repeat(copy, source, target, { ...place, isRepeated: true, depth: place.depth + 1 });
    else this.#children(copy, source, place);
    return copy;
  }

  #children(copy: Element, source: Element, place: Place): void {
    for (const child of source.childNodes) {
      if (child instanceof Element) copy.append(this.#copy(child, place));
      else if (child instanceof Text) copy.append(filled(child.data, place.scope));
    }
  }

  /** As a `use` shows it: moved by x and y; a symbol in a box of its own. */
  #repeat(copy: Element, use: Element, target: Element, place: Place): void {
    const [x, y] = [use.getAttribute('x') ?? '0', use.getAttribute('y') ?? '0'];
    const isBox = target.localName === 'symbol' || target.localName === 'svg';
    if (!isBox) {
      copy.setAttribute(
        'transform',
        `${use.getAttribute('transform') ?? ''} translate(${Number(x) || 0} ${Number(y) || 0})`.trim(),
      );
      copy.append(this.#copy(target, { ...place, isDrawn: true }));
      return;
    }
    const box = document.createElementNS(svgNamespace, 'svg');
    for (const { name, value } of target.attributes) if (name !== 'id') box.setAttribute(name, value);
    for (const [name, value] of [
      ['x', x],
      ['y', y],
    ] as const)
      box.setAttribute(name, value);
    for (const name of ['width', 'height']) {
      box.setAttribute(name, use.getAttribute(name) ?? target.getAttribute(name) ?? '100%');
    }
    this.#sources.set(box, target);
    this.#rename(box, true);
    const inner = this.#bind(box, target, { ...place, isDrawn: true });
    this.#children(box, target, inner);
    // Its title tells those who draw what its parameters are.
    box.querySelector(':scope > title')?.remove();
    copy.append(box);
  }

  #bind(copy: Element, source: Element, place: Place): Place {
    const named = source.getAttribute('data-tt-point');
    let { point, owner } = place;
    if (named !== null) {
      const text = filled(named, place.scope);
      point = text === '' ? undefined : (pointNameOf(text) ?? { kind: undefined, name: text });
      owner = text === '' ? undefined : copy;
    }
    if (place.isDrawn && copy instanceof SVGGraphicsElement) {
      const read = readBindings(source, place.scope);
      const mistakes = [...read.mistakes, ...missingPoint(read, point)];
      if (named !== null || read.opens !== undefined || mistakes.length > 0 || Object.keys(read.bindings).length > 0) {
        const title = titleOf(source, place.scope);
        this.#bound.push({ ...read, mistakes, element: copy, point, owner, title });
      }
    }
    return { ...place, point, owner };
  }

  #rename(copy: Element, isRepeated: boolean): void {
    for (const attribute of [...copy.attributes]) {
      const { localName, value } = attribute;
      if (localName === 'id') {
        if (isRepeated) copy.removeAttribute('id');
        else attribute.value = this.#prefix + value;
      } else if (localName === 'href' && value.startsWith('#')) attribute.value = `#${this.#prefix}${value.slice(1)}`;
      else if (localName.startsWith('aria-')) {
        if (localName !== 'aria-label') attribute.value = value.replaceAll(/[^\s]+/g, (id) => this.#prefix + id);
      } else if (value.includes('url(#')) attribute.value = value.replaceAll('url(#', `url(#${this.#prefix}`);
    }
  }

  #targetOf(use: Element): Element | undefined {
    const href = use.getAttribute('href') ?? use.getAttributeNS('http://www.w3.org/1999/xlink', 'href') ?? '';
    return this.#ids.get(href.slice(1));
  }

  /** Something in it is bound, or has a text that differs. What repeats itself is refused by the service, and not copied here. */
  #mustBeCopied(target: Element): boolean {
    const known = this.#needsCopy.get(target);
    if (known !== undefined) return known;
    this.#needsCopy.set(target, false);
    const all = [target, ...target.querySelectorAll('*')];
    const needs = all.some((element) => {
      // The page's colours reach what is drawn, and not what a browser repeats by itself.
      const isOurs = ({ name, value }: Attr) =>
        name.startsWith('data-tt-') || (name === 'class' && value.includes('tt-'));
      const isBound = [...element.attributes].some(isOurs);
      const isFilled = [...element.childNodes].some((child) => child instanceof Text && hasPlaceholder(child.data));
      const used = element.localName === 'use' ? this.#targetOf(element) : undefined;
      return isBound || isFilled || (used !== undefined && this.#mustBeCopied(used));
    });
    this.#needsCopy.set(target, needs);
    return needs;
  }
}

const ofUse = new Set(['x', 'y', 'width', 'height', 'href', 'xlink:href']);

function missingPoint({ bindings }: ReadBindings, point: PointName | undefined): Mistake[] {
  const [first] = Object.keys(bindings);
  return point === undefined && first !== undefined ? [{ attribute: 'data-tt-point', value: '' }] : [];
}

function titleOf(source: Element, scope: Scope): string {
  const title = [...source.children].find(({ localName }) => localName === 'title');
  return filled(source.getAttribute('aria-label') ?? title?.textContent ?? '', scope).trim();
}
