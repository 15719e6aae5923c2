// Writes what a point shows into the element that is bound to it: its text, how full it is, its angle, its look. Writes nothing that is
// there already.
import { isPrefixedText } from '@telltale/schema/values';
import { words } from '../../words/words.ts';
import { shownMoment } from '../now.ts';
import { qualityText } from '../quality-words.ts';
import { ageText, momentText } from '../times.ts';
import { valueText } from '../value-text.ts';
import type { Bindings, TextPart } from './bindings.ts';
import { wordFor } from './conditions.ts';
import type { Bound } from './instance.ts';
import { svgNamespace } from './parse-picture.ts';
import { isBadValue, liveValueOf, type PointState, testedValue } from './point-state.ts';
import { uniqueId } from './unique-id.ts';

/** A box in the coordinates of the element. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Applied {
  readonly bound: Bound;
  readonly #box: Box;
  readonly #transform: string;
  readonly #clip: SVGRectElement | undefined;
  #text: string | undefined;
  #node: Text | undefined;
  #state: string | undefined;
  #share: number | undefined;
  #angle: number | undefined;

  /** The box of the element as it is drawn. */
  constructor(bound: Bound, box: Box) {
    this.bound = bound;
    this.#box = box;
    const { element, bindings } = bound;
    this.#transform = element.getAttribute('transform') ?? '';
    if (bindings.level !== undefined) this.#clip = clipOf(element);
  }

  get hasAge(): boolean {
    return this.bound.bindings.text?.parts.includes('age') ?? false;
  }

  apply(state: PointState): void {
    const { bindings, element } = this.bound;
    if (bindings.text !== undefined || bindings.words !== undefined) this.#setText(textOf(bindings, state));
    if (bindings.text !== undefined) element.classList.toggle('tt-bad', isNoGood(state));
    if (bindings.level !== undefined) this.#setLevel(bindings.level, state);
    if (bindings.rotation !== undefined) this.#setRotation(bindings.rotation, state);
    if (bindings.state !== undefined) this.#setState(wordFor(bindings.state, testedValue(state)));
    if (bindings.visible !== undefined) {
      const value = testedValue(state);
      element.classList.toggle('tt-hidden', value === undefined || !bindings.visible(value));
    }
  }

  #setText(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#node ??= textNodeOf(this.bound.element);
    this.#node.data = text;
  }

  #setLevel(level: NonNullable<Bindings['level']>, state: PointState): void {
    const share = shareOf(level, state) ?? 0;
    if (share === this.#share || this.#clip === undefined) return;
    this.#share = share;
    const { x, y, width, height } = this.#box;
    // Across, and behind where it begins, nothing is cut off: the line around a shape is broader than its box.
    const more = 2 * (width + height) + 1000;
    const isUpright = level.direction === 'up' || level.direction === 'down';
    const filled = share * (isUpright ? height : width);
    const isWhole = share >= 1;
    const length = filled + (share <= 0 ? 0 : more + (isWhole ? more : 0));
    const rect = {
      up: { x: x - more, y: y + height - filled - (isWhole ? more : 0), width: width + 2 * more, height: length },
      down: { x: x - more, y: y - more, width: width + 2 * more, height: length },
      right: { x: x - more, y: y - more, width: length, height: height + 2 * more },
      left: { x: x + width - filled - (isWhole ? more : 0), y: y - more, width: length, height: height + 2 * more },
    }[level.direction];
    for (const [name, value] of Object.entries(rect)) this.#clip.setAttribute(name, value.toFixed(2));
  }

  #setRotation(rotation: NonNullable<Bindings['rotation']>, state: PointState): void {
    const share = shareOf(rotation, state) ?? 0;
    const angle = rotation.from + share * (rotation.to - rotation.from);
    if (angle === this.#angle) return;
    this.#angle = angle;
    const { x, y, width, height } = this.#box;
    const { cx = x + width / 2, cy = y + height / 2 } = rotation;
    this.bound.element.setAttribute('transform', `${this.#transform} rotate(${angle.toFixed(2)} ${cx} ${cy})`.trim());
  }

  #setState(state: string | undefined): void {
    if (state === this.#state) return;
    const { classList } = this.bound.element;
    if (this.#state !== undefined) classList.remove(`tt-state-${this.#state}`);
    if (state !== undefined) classList.add(`tt-state-${state}`);
    this.#state = state;
  }
}

/** The one text of an element, in the first of its spans, which may be what places it. Spans that are bound themselves stay. */
function textNodeOf(element: Element): Text {
  const texts = ownTexts(element);
  const span = texts.find(({ data }) => data.trim() !== '') ?? texts[0];
  for (const text of texts) if (text !== span) text.remove();
  if (span !== undefined) return span;
  const made = document.createTextNode('');
  element.append(made);
  return made;
}

function ownTexts(element: Element): Text[] {
  return [...element.childNodes].flatMap((child) => {
    if (child instanceof Text) return [child];
    const isOwn = child instanceof Element && child.localName === 'tspan' && !hasBinding(child);
    return isOwn ? ownTexts(child) : [];
  });
}

function hasBinding({ attributes }: Element): boolean {
  return [...attributes].some(({ name }) => name.startsWith('data-tt-'));
}

/** Cuts the element, and what else was cut of it stays cut. */
function clipOf(element: SVGGraphicsElement): SVGRectElement {
  const clip = document.createElementNS(svgNamespace, 'clipPath');
  clip.id = uniqueId('picture-level');
  const rect = document.createElementNS(svgNamespace, 'rect');
  clip.append(rect);
  const drawn = element.getAttribute('clip-path');
  if (drawn !== null) clip.setAttribute('clip-path', drawn);
  element.before(clip);
  element.setAttribute('clip-path', `url(#${clip.id})`);
  return rect;
}

function isNoGood({ shown }: PointState): boolean {
  const value = liveValueOf(shown);
  return value !== undefined && isBadValue(value);
}

export function textOf({ text, words: choices }: Bindings, state: PointState): string {
  if (text === undefined) {
    const tested = testedValue(state);
    return tested === undefined ? dash : (wordFor(choices ?? [], tested) ?? '');
  }
  // In one text of an SVG, nothing else keeps a description from turning the figure behind it.
  const parts = text.parts.map((part) => partOf(part, state, text.precision).replaceAll(turning, ''));
  return parts.filter((part) => part !== '').join(' ');
}

const turning = /[\u202a-\u202e\u2066-\u2069]/g;

const dash = '–';

function partOf(part: TextPart, { name, shown, facts, itself }: PointState, precision: number | undefined): string {
  const { values, alarms } = words.value;
  if (part === 'name') return name;
  if (part === 'description') return facts?.description ?? itself?.description ?? '';
  if (part === 'unit') return facts?.eu ?? '';
  if (itself !== undefined) {
    if (part === 'value') return alarms.states[itself.state];
    if (part === 'quality') return '';
    return itself.t === 0 ? dash : timeText(part, itself.t);
  }
  const value = liveValueOf(shown);
  if (value === undefined) return part === 'value' ? (shown === 'pending' ? '…' : dash) : '';
  if (part === 'quality') return value.quality === undefined ? '' : qualityText(value.quality);
  if (part !== 'value') return value.t === 0 ? dash : timeText(part, value.t);
  if (value.t === 0 && isBadValue(value)) return dash;
  if (isPrefixedText(value.value) && value.value.length === 1) return values.noValue;
  return valueText(value.value, precision === undefined ? facts : { precision });
}

function timeText(part: 'age' | 'time', t: number): string {
  return part === 'age' ? ageText((shownMoment.value - t) / 1e6) : momentText(t);
}

/** From 0 to 1; undefined where it has no number. */
function shareOf({ lo, hi }: { readonly lo: number | undefined; readonly hi: number | undefined }, state: PointState) {
  const value = liveValueOf(state.shown);
  if (value === undefined || isPrefixedText(value.value)) return undefined;
  const [rangeLo, rangeHi] = state.facts?.range ?? [null, null];
  const from = lo ?? endOf(rangeLo) ?? 0;
  const to = hi ?? endOf(rangeHi) ?? 1;
  const share = (Number(value.value.slice(1)) - from) / (to - from);
  return Number.isFinite(share) ? Math.max(0, Math.min(1, share)) : undefined;
}

function endOf(prefixed: string | null): number | undefined {
  return prefixed === null ? undefined : Number(prefixed.slice(1));
}
