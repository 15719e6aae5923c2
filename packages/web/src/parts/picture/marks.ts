// The marks of a picture: bad, uncertain, forced, stale, unknown, without a record, wrongly bound, and alarms. They are a drawing of
// their own above the picture, so that nothing in the picture hides or covers them.
import { isBad, isUncertain, quality } from '@telltale/schema/values';
import { isActive, isUnacknowledged, type ShownAlarm } from '../../data/alarms.ts';
import { words } from '../../words/words.ts';
import { qualityText } from '../quality-words.ts';
import { severityClass, severityShape } from '../severity-mark.tsx';
import type { Box } from './apply.ts';
import type { Mistake } from './bindings.ts';
import { svgNamespace } from './parse-picture.ts';
import { liveValueOf, type PointState } from './point-state.ts';
import { uniqueId } from './unique-id.ts';

export type MarkName = 'bad' | 'uncertain' | 'forced' | 'unknown' | 'none' | 'mistake';

/** Where marks are: at what shows the values of one point. */
export interface Anchor {
  /** What is marked there together. */
  readonly elements: readonly SVGGraphicsElement[];
  readonly mistakes: readonly Mistake[];
  /** Around all of them; texts change it. */
  box: Box;
  /** Of each element, to be hatched. */
  parts: readonly Box[];
}

const signs: Readonly<Record<MarkName, string>> = {
  bad: '✕',
  uncertain: '?',
  forced: 'F',
  unknown: '∄',
  none: '∅',
  mistake: '!',
};

/** Of chips: what is drawn is this high, and scaled. */
const chipSize = 16;
const hatches = ['bad', 'forced', 'stale'] as const;

export function marksOf({ shown }: PointState): MarkName[] {
  if (shown === 'unknown') return ['unknown'];
  if (shown === 'none') return ['none'];
  const q = liveValueOf(shown)?.quality;
  if (q === undefined) return [];
  const found: MarkName[] = [];
  if ((q & quality.simulated) !== 0) found.push('forced');
  if (isBad(q)) found.push('bad');
  if (isUncertain(q)) found.push('uncertain');
  return found;
}

/** In the reader's language, for those who do not see the marks. */
export function marksText(state: PointState, mistakes: readonly Mistake[]): string[] {
  const { values, pictures, common, alarms } = words.value;
  const { shown, alarm, name } = state;
  const q = liveValueOf(shown)?.quality;
  return [
    ...mistakes.map(({ attribute, value }) => pictures.mistake(attribute, value)),
    ...(shown === 'unknown' ? [values.unknownWhy(name)] : []),
    ...(shown === 'none' ? [values.noRecord] : []),
    ...(q !== undefined && marksOf(state).length > 0 ? [qualityText(q)] : []),
    ...(alarm === undefined
      ? []
      : [`${common.severity} ${alarm.severity}: ${alarm.description || alarm.name}, ${alarms.states[alarm.state]}`]),
  ];
}

export class MarkLayer {
  readonly root = made('svg', { class: 'picture-marks', 'aria-hidden': 'true' });
  readonly #prefix = `${uniqueId('picture-hatch')}-`;
  readonly #patterns: readonly SVGElement[];
  readonly #chips = new Set<SVGElement>();
  readonly #marks = new WeakMap<Anchor, { key: string; node: SVGElement }>();
  #unitsPerPixel = 1;
  #bounds: Box = { x: 0, y: 0, width: 0, height: 0 };

  constructor() {
    this.#patterns = hatches.map((name) => {
      const pattern = made('pattern', {
        id: this.#prefix + name,
        width: '8',
        height: '8',
        patternUnits: 'userSpaceOnUse',
      });
      pattern.append(made('path', { class: `picture-hatch-${name}`, d: name === 'forced' ? 'M0 8L8 0' : 'M0 0L8 8' }));
      return pattern;
    });
    const defs = made('defs', {});
    defs.append(...this.#patterns);
    this.root.append(defs);
    // All of them blink together.
    this.root.addEventListener('animationstart', ({ target }) => {
      for (const each of (target as Element).getAnimations()) each.startTime = 0;
    });
  }

  /** The part of the picture that is seen, and how large a pixel of the screen is in it. Chips keep a size that people can read. */
  see(box: Box, bounds: Box, unitsPerPixel: number): void {
    this.root.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
    this.#bounds = bounds;
    if (unitsPerPixel === this.#unitsPerPixel) return;
    this.#unitsPerPixel = unitsPerPixel;
    for (const pattern of this.#patterns) pattern.setAttribute('patternTransform', `scale(${unitsPerPixel})`);
    for (const chips of this.#chips) this.#scale(chips);
  }

  /** Nothing is written where the marks are the same. */
  mark(anchor: Anchor, state: PointState | undefined, isStale: boolean): void {
    const marks = state === undefined ? [] : marksOf(state);
    if (anchor.mistakes.length > 0) marks.push('mistake');
    const alarm = state?.alarm;
    const { x, y, width } = anchor.box;
    const isSeen = anchor.elements.map(isDrawn);
    const shown = alarm === undefined ? '' : `${alarm.severity} ${alarm.state}`;
    const key = `${marks.join()} ${isStale} ${isStale && isSeen.join()} ${shown} ${x} ${y} ${width}`;
    const known = this.#marks.get(anchor);
    if (known?.key === key || (known === undefined && marks.length === 0 && !isStale && alarm === undefined)) return;
    this.#forget(known?.node);
    const node = made('g', { class: 'picture-mark' });
    if (marks.length > 0) node.setAttribute('data-marks', marks.join(' '));
    if (isStale) node.setAttribute('data-stale', 'true');
    if (state !== undefined) node.setAttribute('data-point', state.name);
    for (const name of hatches) {
      if (name === 'stale' ? isStale : marks.includes(name))
        // What is not seen is not out of date. Where it is bad or forced, that is why it may not be seen.
        anchor.parts.forEach((box, at) => {
          if (name !== 'stale' || isSeen[at]) node.append(this.#hatch(box, name, anchor.elements[at]));
        });
    }
    if (marks.includes('unknown') || marks.includes('none') || marks.includes('mistake')) {
      node.append(...anchor.parts.map((box) => framed(box, 'unknown')));
    }
    const chips = [...(alarm === undefined ? [] : [alarmChip(alarm)]), ...marks.map(chip)];
    if (chips.length > 0) node.append(this.#chipsAt(anchor, chips));
    this.root.append(node);
    this.#marks.set(anchor, { key, node });
  }

  #forget(node: SVGElement | undefined): void {
    for (const chips of node?.querySelectorAll<SVGElement>('.picture-chips') ?? []) this.#chips.delete(chips);
    node?.remove();
  }

  #hatch(
    { x, y, width, height }: Box,
    name: (typeof hatches)[number],
    element: SVGGraphicsElement | undefined,
  ): SVGElement {
    const over = element instanceof SVGTextContentElement ? 'picture-hatched-text' : '';
    const attributes = {
      x,
      y,
      width,
      height,
      class: `picture-hatched picture-hatched-${name} ${over}`,
      fill: `url(#${this.#prefix}${name})`,
    };
    return made('rect', attributes);
  }

  /** At the corner of a shape; after a text, which they would cover. */
  #chipsAt({ box, elements }: Anchor, chips: readonly SVGElement[]): SVGElement {
    const { x, y, width, height } = box;
    const isText = elements.every((each) => each instanceof SVGTextContentElement);
    const place = { 'data-x': x + width, 'data-y': isText ? y + height / 2 : y };
    const group = made('g', { class: 'picture-chips', ...place, ...(isText && { 'data-after': 'true' }) });
    for (const [at, each] of chips.entries()) {
      each.setAttribute('transform', `translate(${(at - chips.length / 2) * chipStep + chipGap / 2} ${-chipSize / 2})`);
      group.append(each);
    }
    this.#chips.add(group);
    this.#scale(group);
    return group;
  }

  #scale(chips: SVGElement): void {
    const pixels = Math.max(leastPixels, Math.min(mostPixels, unitsHigh / this.#unitsPerPixel));
    const scale = (pixels / chipSize) * this.#unitsPerPixel;
    const half = (chips.childElementCount * chipStep * scale) / 2;
    const { x, y, width, height } = this.#bounds;
    const within = (at: number, from: number, size: number, margin: number) =>
      Math.max(from + margin, Math.min(from + size - margin, at));
    const aside = chips.dataset.after === 'true' ? half + (chipGap / 2) * scale : 0;
    const [left, top] = [Number(chips.dataset.x) + aside, Number(chips.dataset.y)];
    chips.setAttribute(
      'transform',
      `translate(${within(left, x, width, half)} ${within(top, y, height, (chipSize * scale) / 2)}) scale(${scale})`,
    );
  }
}

/** The ring of an alarm that is not acknowledged is in it. */
const chipGap = 5;
const chipStep = chipSize + chipGap;
const unitsHigh = 26;
const leastPixels = 12;
const mostPixels = 30;

/** Something is drawn of it: it is not hidden, and no empty text. */
function isDrawn(element: SVGGraphicsElement): boolean {
  const isEmpty = element instanceof SVGTextContentElement && element.textContent.trim() === '';
  return !isEmpty && element.closest('.tt-hidden') === null;
}

function chip(name: MarkName): SVGElement {
  const group = made('g', { class: `picture-chip picture-chip-${name}` });
  const text = made('text', { x: chipSize / 2, y: 12.4, 'text-anchor': 'middle' });
  text.append(signs[name]);
  group.append(made('rect', { x: 0.75, y: 0.75, width: chipSize - 1.5, height: chipSize - 1.5, rx: 2 }), text);
  return group;
}

function alarmChip({ severity, state }: ShownAlarm): SVGElement {
  const look = severityClass(severity);
  const group = made('g', {});
  const classes = ['picture-alarm', `severity-${look}`];
  if (!isActive(state)) classes.push('inactive');
  if (isUnacknowledged(state)) classes.push('unacknowledged');
  const inner = made('g', { class: classes.join(' '), 'data-severity': severity });
  const shape = made('path', { d: severityShape(severity), transform: 'scale(0.9) translate(-1 -1)' });
  const text = made('text', { x: chipSize / 2, y: 12.2, 'text-anchor': 'middle' });
  text.append(String(severity));
  inner.append(shape, text);
  group.append(inner);
  return group;
}

function framed({ x, y, width, height }: Box, name: string): SVGElement {
  return made('rect', { x, y, width, height, class: `picture-frame picture-frame-${name}` });
}

export function made(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(svgNamespace, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  return element;
}
