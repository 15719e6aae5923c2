// What the attributes `data-tt-…` of one element mean, as docs/guides/pictures.md says it. What makes no sense is a mistake; the
// rest of the element works.
import { isIdentifier, parseDuration } from '@telltale/schema/values';
import type { PointKind } from '../../data/live-value.ts';
import { type Choice, type Condition, choicesOf, conditionOf, numberOf } from './conditions.ts';
import { filled, pairsOf, type Scope } from './parameters.ts';

export interface PointName {
  /** Undefined: a measurement, or a command, or an alarm. */
  readonly kind: PointKind | 'alarms' | undefined;
  readonly name: string;
}

export const textParts = ['value', 'unit', 'name', 'description', 'quality', 'age', 'time'] as const;
export type TextPart = (typeof textParts)[number];

export const directions = ['up', 'down', 'left', 'right'] as const;
export type Direction = (typeof directions)[number];

export const states: readonly string[] = [
  ...['off', 'on', 'closed', 'open', 'closing', 'opening', 'moving', 'low', 'normal', 'high', 'manual', 'disabled'],
  ...['warning', 'fault'],
];

interface Ends {
  /** Undefined: those of the eu-range. */
  readonly lo: number | undefined;
  readonly hi: number | undefined;
}

export interface Bindings {
  text?: { readonly parts: readonly TextPart[]; readonly precision: number | undefined };
  words?: readonly Choice[];
  level?: Ends & { readonly direction: Direction };
  rotation?: Ends & Readonly<Record<'from' | 'to', number>> & Readonly<Record<'cx' | 'cy', number | undefined>>;
  state?: readonly Choice[];
  visible?: Condition;
  /** Microseconds. */
  trend?: number;
}

export type Opens =
  | { readonly kind: 'picture'; readonly name: string; readonly parameters: readonly (readonly [string, string])[] }
  | { readonly kind: 'trend'; readonly name: string }
  | { readonly kind: 'point'; readonly point: PointName }
  | { readonly kind: 'none' };

/** An attribute, and the value that it has. */
export interface Mistake {
  readonly attribute: string;
  readonly value: string;
}

export interface ReadBindings {
  readonly bindings: Bindings;
  readonly opens: Opens | undefined;
  readonly mistakes: readonly Mistake[];
}

export const attributePrefix = 'data-tt-';

type Reader = (value: string, found: Bindings) => boolean;

const readers: Readonly<Record<string, Reader>> = {
  text: (value, found) => {
    const { words, options } = partsOf(value);
    const precision = numberOf(options.get('precision'));
    const parts = words.filter((word): word is TextPart => (textParts as readonly string[]).includes(word));
    const isFit = precision === undefined || (Number.isInteger(precision) && precision >= 0 && precision <= 15);
    if (parts.length < words.length || !isFit || !onlyHas(options, ['precision'])) return false;
    found.text = { parts: parts.length === 0 ? ['value'] : parts, precision };
    return true;
  },
  words: (value, found) => {
    const choices = choicesOf(value);
    if (choices !== undefined) found.words = choices;
    return choices !== undefined;
  },
  level: (value, found) => {
    const { words, options } = partsOf(value);
    const [direction = 'up'] = words;
    if (words.length > 1 || !isDirection(direction) || !onlyHas(options, ['lo', 'hi'])) return false;
    found.level = { direction, ...endsOf(options) };
    return true;
  },
  rotation: (value, found) => {
    const { words, options } = partsOf(value);
    if (words.length > 0 || !onlyHas(options, ['from', 'to', 'lo', 'hi', 'cx', 'cy'])) return false;
    const number = (name: string) => numberOf(options.get(name));
    const [from = 0, to = 360] = [number('from'), number('to')];
    found.rotation = { from, to, ...endsOf(options), cx: number('cx'), cy: number('cy') };
    return true;
  },
  state: (value, found) => {
    const choices = choicesOf(value);
    const isFit = choices?.every(({ word }) => states.includes(word)) ?? false;
    if (choices !== undefined && isFit) found.state = choices;
    return isFit;
  },
  visible: (value, found) => {
    const holds = conditionOf(value.trim());
    if (holds !== undefined) found.visible = holds;
    return holds !== undefined;
  },
  trend: (value, found) => {
    const span = parseDuration(value.trim());
    if (span === undefined || span <= 0) return false;
    found.trend = span;
    return true;
  },
};

/** What an element does with the value of its point. */
export const behaviours = Object.keys(readers);

export function readBindings(element: Element, scope: Scope): ReadBindings {
  const bindings: Bindings = {};
  const mistakes: Mistake[] = [];
  let opens: Opens | undefined;
  for (const { name, value } of [...element.attributes]) {
    if (!name.startsWith(attributePrefix)) continue;
    const kind = name.slice(attributePrefix.length);
    const text = filled(value, scope);
    let isFit = true;
    if (kind === 'point') isFit = text === '' || pointNameOf(text) !== undefined;
    else if (kind === 'opens') {
      opens = opensOf(value, scope);
      isFit = opens !== undefined;
    } else if (kind !== 'parameters')
      isFit = (Object.hasOwn(readers, kind) && readers[kind]?.(text, bindings)) || false;
    if (!isFit) mistakes.push({ attribute: name, value: text });
  }
  return { bindings, opens, mistakes };
}

const kinds = { measurement: 'measurements', command: 'commands', alarm: 'alarms' } as const;

export function pointNameOf(text: string): PointName | undefined {
  const [, kind, name = ''] = /^(?:(measurement|command|alarm):)?(.*)$/s.exec(text.trim()) ?? [];
  if (!isIdentifier(name)) return undefined;
  return { kind: kind === undefined ? undefined : kinds[kind as keyof typeof kinds], name };
}

function opensOf(raw: string, scope: Scope): Opens | undefined {
  const [, kind, rest = ''] = /^(picture|trend|point):(.*)$/s.exec(raw.trim()) ?? [];
  if (raw.trim() === 'none') return { kind: 'none' };
  if (kind === 'point') {
    const point = pointNameOf(filled(rest, scope));
    return point && { kind, point };
  }
  const [named = '', query = ''] = rest.split('?', 2);
  const name = filled(named, scope);
  if (!isIdentifier(name)) return undefined;
  if (kind === 'trend') return { kind, name };
  return kind === 'picture' ? { kind, name, parameters: pairsOf(query, scope) } : undefined;
}

/** `up lo=0 hi=5`: words, and options with numbers. */
function partsOf(text: string): { readonly words: readonly string[]; readonly options: ReadonlyMap<string, string> } {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  const options = parts.filter((part) => part.includes('='));
  return {
    words: parts.filter((part) => !part.includes('=')),
    options: new Map(options.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)])),
  };
}

function onlyHas(options: ReadonlyMap<string, string>, names: readonly string[]): boolean {
  return [...options].every(([name, value]) => names.includes(name) && numberOf(value) !== undefined);
}

function endsOf(options: ReadonlyMap<string, string>): Ends {
  return { lo: numberOf(options.get('lo')), hi: numberOf(options.get('hi')) };
}

function isDirection(text: string): text is Direction {
  return (directions as readonly string[]).includes(text);
}
