// Selectors: which measurements, commands or alarms are meant. What is given must hold all together; of a list, any item.
// An empty list selects nothing. As inputs of operations they are in selector-inputs.ts.
import type { Datatype } from './datatype.ts';
import { isPattern } from './name-pattern.ts';
import { invalidQuery } from './problem.ts';
import type { QualityWord } from './quality.ts';

export interface Selector {
  /** Names, and patterns of names with `*`. */
  readonly names?: readonly string[] | undefined;
  /** Paths, each with everything below it. */
  readonly area?: readonly string[] | undefined;
  readonly connector?: readonly string[] | undefined;
  readonly datatype?: readonly Datatype[] | undefined;
  /** Of what is published: a simulated value counts as what it was simulated as, and as simulated. */
  readonly quality?: readonly QualityWord[] | undefined;
  /** Words, all of which are in the name or the description, in whatever case. */
  readonly search?: string | undefined;
}

/** So many patterns are looked for in one request: each may take a walk over all names. */
export const maxPatterns = 100;

/** So many words are searched at most; more characters hold no more. */
const maxSearchWords = 16;
export const maxSearchLength = 200;

/** Whether it selects by more than plain names. */
export function isSelective(selector: Selector): boolean {
  return hasCriteria(selector) || (selector.names?.some(isPattern) ?? false);
}

/** Whether it has more than names, and patterns of them. */
export function hasCriteria({ area, connector, datatype, quality, search }: Selector): boolean {
  return [area, connector, datatype, quality, search].some((each) => each !== undefined);
}

/** The same for selectors that mean the same. */
export function selectorKey({ names, area, connector, datatype, quality, search }: Selector): string {
  const lists = [names, area, connector, datatype, quality, search && searchWords(search)];
  return JSON.stringify(lists.map((list) => list && [...new Set<string>(list)].sort()));
}

/** The words of a search, folded. */
export function searchWords(text: string): string[] {
  return [...new Set(text.toLowerCase().split(/\s+/))].filter((word) => word !== '');
}

/** Throws where a selector would take too long, or says nothing. */
export function checkSelector({ names = [], search: text }: Selector): void {
  if (names.reduce((count, name) => count + Number(isPattern(name)), 0) > maxPatterns) {
    throw invalidQuery('names', `has more than ${maxPatterns} patterns with * in them`);
  }
  if (text === undefined) return;
  const words = searchWords(text).length;
  if (words === 0) throw invalidQuery('search', 'is empty; write what to look for, or leave it out');
  if (words > maxSearchWords)
    throw invalidQuery('search', `has ${words} words; at most ${maxSearchWords} are looked for`);
}
