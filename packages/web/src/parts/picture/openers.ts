// What of a picture opens something: it is reached by the keyboard, and says what it is and shows to those who do not see it.
import { words } from '../../words/words.ts';
import { textOf } from './apply.ts';
import type { Mistake, Opens } from './bindings.ts';
import type { Bound } from './instance.ts';
import { marksText } from './marks.ts';
import type { PointState } from './point-state.ts';

export interface Opener {
  readonly element: SVGGraphicsElement;
  readonly opens: Opens;
  readonly title: string;
  /** What stands there whatever the plant does: people call it by that. */
  readonly labels: readonly string[];
  readonly mistakes: readonly Mistake[];
}

/** The innermost that says what it opens counts; otherwise, each names its point. */
export function openersOf(root: SVGSVGElement, bound: readonly Bound[]): Opener[] {
  const explicit = new Set<Element>(bound.filter(({ opens }) => opens !== undefined).map(({ element }) => element));
  const isWithin = (element: Element) => {
    for (let each = element.parentElement; each !== null && each !== root.parentElement; each = each.parentElement) {
      if (explicit.has(each)) return true;
    }
    return false;
  };
  return bound.flatMap(({ element, opens, point, owner, title, mistakes }): Opener[] => {
    const shared = { element, title, labels: labelsIn(element, bound), mistakes };
    if (opens !== undefined) return [{ ...shared, opens }];
    // What the whole picture is about is opened by what shows it, not by the ground around.
    const isNaming = owner === element || owner === root;
    if (point === undefined || element === root || !isNaming || isWithin(element)) return [];
    return [{ ...shared, opens: { kind: 'point', point } }];
  });
}

function labelsIn(element: Element, bound: readonly Bound[]): string[] {
  const changing = bound.flatMap(({ element: each, bindings: { text, words: choices, visible } }) =>
    text !== undefined || choices !== undefined || visible !== undefined ? [each] : [],
  );
  const texts = [...element.querySelectorAll('text')].filter(
    (each) => !changing.some((other) => each.contains(other) || other.contains(each)),
  );
  return texts.map(({ textContent }) => textContent.trim()).filter((text) => text !== '');
}

const mostNamed = 12;

/** `Level, Tank 1: 2.41 m, uncertain` */
export function labelOf({ opens, title, labels, mistakes }: Opener, states: readonly PointState[]): string {
  const { pictures } = words.value;
  const [first] = states;
  const own = first?.facts?.description || first?.itself?.description || first?.name;
  const target = opens.kind === 'picture' || opens.kind === 'trend' ? pictures.opens[opens.kind](opens.name) : '';
  const name = title || (opens.kind === 'point' ? own || opens.point.name : target);
  const shown = states.slice(0, mostNamed).map((state) => {
    const value = textOf({ text: { parts: ['value', 'unit'], precision: undefined } }, state);
    const called = states.length > 1 || title !== '' ? `${state.facts?.description || state.name} ` : '';
    return [`${called}${value}`, ...marksText(state, [])].join(', ');
  });
  const faults = mistakes.map(({ attribute, value }) => pictures.mistake(attribute, value));
  const all = [...shown, ...faults].join('; ');
  const label = all === '' ? name : `${name}: ${all}`;
  const missing = labels.filter((text) => !label.toLowerCase().includes(text.toLowerCase()));
  return [...missing, label].join(', ');
}
