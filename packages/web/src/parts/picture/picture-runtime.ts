// A picture that lives: subscribes what is bound, and writes what changes into its elements and marks, five times a second at most.
import { effect, type ReadonlySignal } from '@preact/signals';
import { moment } from '../../data/moment.ts';
import { isStale } from '../../data/staleness.ts';
import { words } from '../../words/words.ts';
import { shownMoment } from '../now.ts';
import { Applied, type Box } from './apply.ts';
import type { Mistake, Opens } from './bindings.ts';
import { Course } from './course.ts';
import { type Bound, type Instance, instanceOf } from './instance.ts';
import { type Anchor, MarkLayer } from './marks.ts';
import { contains, type Measured, measure, nowhere, union } from './measure.ts';
import { labelOf, type Opener, openersOf } from './openers.ts';
import type { Scope } from './parameters.ts';
import { type PointState, stateOfPoint } from './point-state.ts';
import { SeenBox } from './seen-box.ts';

export interface PictureOptions {
  readonly picture: SVGSVGElement;
  readonly scope: Scope;
  /** Empty, and on the page with a size. */
  readonly host: HTMLElement;
  readonly title: string;
  /** Undefined where elements are picked, not opened. */
  readonly open: ((opens: Opens, kind: PointState['kind']) => void) | undefined;
}

/** All that shows one point. */
interface Followed {
  readonly state: ReadonlySignal<PointState>;
  readonly applied: Applied[];
  readonly anchors: Anchor[];
  readonly courses: Course[];
}

const flushMs = 200;
const labelMs = 1000;

export class PictureRuntime {
  readonly instance: Instance;
  readonly seen: SeenBox;
  readonly marks = new MarkLayer();
  readonly #options: PictureOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #openers = new Map<Element, Opener & { readonly inside: Set<Followed> }>();
  readonly #boxes: ReadonlyMap<SVGGraphicsElement, Measured>;
  readonly #loose: Anchor[] = [];
  /** Of the texts, as they were measured. */
  readonly #lengths = new WeakMap<SVGGraphicsElement, number>();
  readonly #dirty = new Set<Followed>();
  readonly #ends: (() => void)[] = [];
  readonly #listening = new AbortController();
  #lastMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #labelTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PictureOptions) {
    this.#options = options;
    const { picture, scope, host, title } = options;
    this.instance = instanceOf(picture, scope);
    const { root, bound } = this.instance;
    const whole = wholeOf(root);
    prepare(root, title);
    host.append(root, this.marks.root);
    this.seen = new SeenBox(host, whole, (box, unitsPerPixel) => {
      root.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
      this.marks.see(box, whole, unitsPerPixel);
    });
    this.#boxes = measure(
      root,
      bound.map(({ element }) => element),
    );
    for (const each of bound) this.#follow(each);
    this.#anchor(bound, root);
    if (options.open !== undefined) this.#offer(openersOf(root, bound), bound);
    this.#start();
  }

  /** Where an element is that is bound. */
  boxOf(element: SVGGraphicsElement): Box | undefined {
    return this.#boxes.get(element)?.inPicture;
  }

  /** The smallest that is bound where the pointer is: also where its level is cut away, or it is not drawn. */
  boundAt({ clientX, clientY }: MouseEvent): SVGGraphicsElement | undefined {
    const { root, bound } = this.instance;
    const point = new DOMPoint(clientX, clientY).matrixTransform(root.getScreenCTM()?.inverse());
    let found: { readonly element: SVGGraphicsElement; readonly size: number } | undefined;
    for (const { element } of bound) {
      const box = this.boxOf(element);
      if (box === undefined || element === root || !contains(box, { x: point.x, y: point.y, width: 0, height: 0 }))
        continue;
      const size = box.width * box.height;
      if (found === undefined || size < found.size) found = { element, size };
    }
    return found?.element;
  }

  get mistakes(): readonly Mistake[] {
    return this.instance.bound.flatMap(({ mistakes }) => mistakes);
  }

  end(): void {
    for (const end of this.#ends) end();
    for (const { courses } of this.#followed.values()) for (const course of courses) course.end();
    this.#listening.abort();
    this.seen.end();
    clearTimeout(this.#timer);
    clearTimeout(this.#labelTimer);
    this.instance.root.remove();
    this.marks.root.remove();
  }

  #follow(bound: Bound): void {
    const { point, element, bindings } = bound;
    if (point === undefined) return;
    const followed = this.#pointOf(point.kind, point.name);
    if (Object.keys(bindings).length === 0) return;
    const { own } = this.#boxes.get(element) ?? { own: nowhere };
    followed.applied.push(new Applied(bound, own));
    if (bindings.trend !== undefined) followed.courses.push(new Course(element, own, bindings.trend));
  }

  #pointOf(kind: PointState['kind'], name: string): Followed {
    const key = `${kind ?? ''} ${name}`;
    const known = this.#followed.get(key);
    if (known !== undefined) return known;
    const followed: Followed = { state: stateOfPoint({ kind, name }), applied: [], anchors: [], courses: [] };
    this.#followed.set(key, followed);
    return followed;
  }

  /** What shows one point in one group is marked once; so is what shows it again inside of that. */
  #anchor(bound: readonly Bound[], root: SVGSVGElement): void {
    const box = (element: SVGGraphicsElement) => this.boxOf(element) ?? nowhere;
    const groups = Map.groupBy(bound, ({ owner, element }) =>
      owner === undefined || owner === root ? element : owner,
    );
    for (const members of groups.values()) {
      const [first] = members;
      if (first === undefined) continue;
      const mistakes = members.flatMap((member) => member.mistakes);
      const showing = members.filter(({ bindings }) => Object.keys(bindings).length > 0);
      const elements = (showing.length > 0 ? showing : members).map(({ element }) => element);
      const parts = elements.map(box);
      const anchor: Anchor = { elements, mistakes, box: union(parts), parts };
      if (first.point === undefined) {
        if (mistakes.length > 0) this.#loose.push(anchor);
        continue;
      }
      if (first.element === root && showing.length === 0) continue;
      this.#pointOf(first.point.kind, first.point.name).anchors.push(anchor);
    }
    for (const followed of this.#followed.values()) joinNested(followed.anchors);
  }

  #offer(openers: readonly Opener[], bound: readonly Bound[]): void {
    for (const opener of openers) {
      const { element, opens } = opener;
      this.#openers.set(element, { ...opener, inside: new Set() });
      if (opens.kind === 'none') continue;
      element.classList.add('picture-opens');
      element.setAttribute('tabindex', '0');
      element.setAttribute('role', 'link');
    }
    for (const { element, point } of bound) {
      if (point === undefined) continue;
      const followed = this.#pointOf(point.kind, point.name);
      for (let each: Element | null = element; each !== null; each = each.parentElement)
        this.#openers.get(each)?.inside.add(followed);
    }
    const { host } = this.#options;
    const { signal } = this.#listening;
    const onClick = (event: MouseEvent) => {
      if (!this.#open(event.target)) this.#open(this.boundAt(event) ?? null);
    };
    host.addEventListener('click', onClick, { signal });
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.ctrlKey || event.altKey || event.metaKey) return;
      if (this.#open(event.target)) event.preventDefault();
    };
    host.addEventListener('keydown', onKeyDown, { signal });
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && this.#openers.has(target)) this.seen.reveal(target.getBoundingClientRect());
    };
    host.addEventListener('focusin', onFocus, { signal });
  }

  #open(target: EventTarget | null): boolean {
    for (let each = target instanceof Element ? target : null; each !== null; each = each.parentElement) {
      const opener = this.#openers.get(each);
      if (opener === undefined) continue;
      const { opens } = opener;
      if (opens.kind === 'none') return true;
      const { name, kind } = opens.kind === 'point' ? opens.point : { name: '', kind: undefined };
      const found = this.#followed.get(`${kind ?? ''} ${name}`)?.state.peek().kind;
      this.#options.open?.(opens, kind ?? found);
      return true;
    }
    return false;
  }

  #start(): void {
    for (const followed of this.#followed.values()) {
      this.#ends.push(followed.state.subscribe(() => this.#soon(followed)));
    }
    const all = effect(() => {
      void [words.value, isStale.value, moment.value];
      for (const followed of this.#followed.values()) this.#soon(followed);
      this.#flushSoon();
    });
    const aged = [...this.#followed.values()].filter(({ applied }) => applied.some(({ hasAge }) => hasAge));
    const ages = effect(() => {
      void shownMoment.value;
      for (const followed of aged) this.#soon(followed);
    });
    this.#ends.push(all, ages);
  }

  #soon(followed: Followed): void {
    this.#dirty.add(followed);
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#lastMs + flushMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#lastMs = performance.now();
      this.#flush();
    }, waitMs);
  }

  #flush(): void {
    const stale = isStale.peek();
    this.instance.root.classList.toggle('picture-stale', stale);
    for (const { state: followed, applied, courses } of this.#dirty) {
      const state = followed.peek();
      for (const each of applied) each.apply(state);
      for (const course of courses) course.follow(state);
    }
    this.#fit();
    for (const { state, anchors } of this.#dirty) {
      for (const anchor of anchors) this.marks.mark(anchor, state.peek(), stale);
    }
    for (const anchor of this.#loose) this.marks.mark(anchor, undefined, stale);
    this.#dirty.clear();
    this.#labelTimer ??= setTimeout(
      () => {
        this.#labelTimer = undefined;
        this.#label();
      },
      this.#lastMs === 0 ? 0 : labelMs / 2,
    );
  }

  /** Marks stand beside what is written there now: a text that has another length has another box. */
  #fit(): void {
    const changed = [...this.#dirty]
      .flatMap(({ anchors }) => anchors)
      .filter(({ elements }) => elements.some((each) => each.textContent.length !== (this.#lengths.get(each) ?? 0)));
    const elements = changed.flatMap((anchor) => anchor.elements);
    if (elements.length === 0) return;
    const boxes = measure(this.instance.root, elements);
    for (const each of elements) this.#lengths.set(each, each.textContent.length);
    for (const anchor of changed) {
      anchor.parts = anchor.elements.map((each) => boxes.get(each)?.inPicture ?? nowhere);
      anchor.box = union(anchor.parts.filter((part) => part !== nowhere));
    }
  }

  #label(): void {
    for (const [element, opener] of this.#openers) {
      if (opener.opens.kind === 'none') continue;
      const label = labelOf(
        opener,
        Array.from(opener.inside, ({ state }) => state.peek()),
      );
      if (element.getAttribute('aria-label') !== label) element.setAttribute('aria-label', label);
    }
  }
}

/** Of one point: where more show it, each is marked. */
const mostJoined = 500;

function joinNested(anchors: Anchor[]): void {
  if (anchors.length > mostJoined) return;
  for (const [at, inner] of [...anchors.entries()].toReversed()) {
    const outer = anchors.findIndex((each, place) => place !== at && contains(each.box, inner.box));
    const around = anchors[outer];
    if (around === undefined) continue;
    anchors[outer] = {
      box: around.box,
      parts: [...around.parts, ...inner.parts],
      elements: [...around.elements, ...inner.elements],
      mistakes: [...around.mistakes, ...inner.mistakes],
    };
    anchors.splice(at, 1);
  }
}

/** Browsers draw with numbers of single precision. */
const mostUnits = 1e9;
const leastUnits = 1e-3;
const otherwise: Box = { x: 0, y: 0, width: 800, height: 600 };

/** The whole picture, as its author has bounded it. */
export function wholeOf(root: SVGSVGElement): Box {
  const [x = 0, y = 0, width = 0, height = 0] = (root.getAttribute('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const box = { x, y, width, height };
  const isFit = Math.max(Math.abs(x), Math.abs(y), width, height) <= mostUnits && Math.min(width, height) >= leastUnits;
  return isFit ? box : otherwise;
}

function prepare(root: SVGSVGElement, title: string): void {
  for (const name of [
    'width',
    'height',
    'x',
    'y',
    'transform',
    'preserveAspectRatio',
    'display',
    'visibility',
    'opacity',
  ]) {
    root.removeAttribute(name);
  }
  root.classList.add('picture-drawing', 'drawn');
  root.setAttribute('role', 'group');
  root.setAttribute('aria-label', title);
  root.setAttribute('preserveAspectRatio', 'xMidYMid meet');
  // What a browser shows when the pointer rests would hide what is below.
  root.querySelector(':scope > title')?.remove();
}
