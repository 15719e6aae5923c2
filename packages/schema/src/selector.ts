// Selectors: which measurements, commands or alarms are meant. What is given must hold all together; of a list, any item.
// An empty list selects nothing.
import Type from 'typebox';
import { Area } from './configuration.ts';
import type { Datatype as DatatypeLetter } from './datatype.ts';
import { isPattern } from './name-pattern.ts';
import { invalidQuery } from './problem.ts';
import { Datatype } from './wire-schemas.ts';

export const qualityWords = ['good', 'uncertain', 'bad', 'simulated'] as const;
export type QualityWord = (typeof qualityWords)[number];

export interface Selector {
  /** Names, and patterns of names with `*`. */
  readonly names?: readonly string[] | undefined;
  /** Paths, each with everything below it. */
  readonly area?: readonly string[] | undefined;
  readonly connector?: readonly string[] | undefined;
  readonly datatype?: readonly DatatypeLetter[] | undefined;
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

/** So many items a list of criteria has at most: each object is held against each of them. */
const maxItems = 1000;

/** What all kinds of objects have. */
const common = {
  area: Type.Optional(
    Type.Array(Area, { maxItems, description: 'Only those in these areas, or in areas below them, comma-separated.' }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxSearchLength,
      description: 'Only those with these words in their name or description, in whatever case.',
    }),
  ),
};

const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { maxItems, description }));

const pointCriteria = {
  connector: texts('Only those of these connectors, comma-separated.'),
  datatype: Type.Optional(
    Type.Array(Datatype, { maxItems, description: 'Only those of these datatypes, comma-separated.' }),
  ),
  ...common,
};

/** What a selector has beside `names`, as inputs of operations. */
export const selectorInputs = {
  measurements: {
    ...pointCriteria,
    quality: Type.Optional(
      Type.Array(Type.Enum([...qualityWords], { type: 'string' }), {
        maxItems,
        description: `Only those of one of these qualities: ${qualityWords.join(', ')}; comma-separated.`,
      }),
    ),
  },
  commands: pointCriteria,
  alarms: { connector: texts('Only those that devices of these connectors raise, comma-separated.'), ...common },
} as const;

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

/** The area and those that it is in, the outermost first; none where it is not set. */
export function areaPaths(area: string | undefined): string[] {
  const parts = area ? area.split('.') : [];
  return parts.map((_, at) => parts.slice(0, at + 1).join('.'));
}

/** The area that a connector, provider or function module is in, by its properties; empty: in none. */
export function areaIn(properties: Readonly<Record<string, string>> | undefined): string {
  return (properties !== undefined && Object.hasOwn(properties, 'area') && properties.area) || '';
}

const area = new RegExp((Area as unknown as { pattern: string }).pattern);

export function isArea(text: string): boolean {
  return text !== '' && area.test(text);
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
