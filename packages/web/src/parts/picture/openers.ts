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
    if (opens !== undefined) return [{ element, opens, title, mistakes }];
    // What the whole picture is about is opened by what shows it, not by the ground around.
    const isNaming = owner === element || owner === root;
    if (point === undefined || element === root || !isNaming || isWithin(element)) return [];
    return [{ element, opens: { kind: 'point', point }, title, mistakes }];
  });
}

const mostNamed = 12;

/** `Tank 1: level 2.41 m, uncertain` */
export function labelOf({ opens, title, mistakes }: Opener, states: readonly PointState[]): string {
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
  return all === '' ? name : `${name}: ${all}`;
}
