// Lists in a query: names, patterns and words, comma-separated, checked while they are parsed. There may be as many names
// as fit the header. Parsing stops at the first word too many and at the 20th fault.
import { type Fault, isArea, isIdentifier, isNameOrPattern, maxFaults, ProblemError } from '@telltale/schema';

/** What a list is of: of these words, of names alone, or, where it has a pattern, of what its parameter says. */
export interface ListItem {
  readonly enum?: readonly string[];
  readonly pattern?: string;
}

/** Reads the list that a parameter has. */
export function readItems(parameter: string, text: string, { enum: words, pattern }: ListItem): string[] {
  if (words !== undefined) return readWords(parameter, text, words);
  if (pattern === undefined) return readNames(text, parameter);
  if (parameter === 'site') return readSites(text);
  return parameter === 'area' ? readAreas(text) : readPatterns(text);
}

export function readNames(text: string, parameter = 'names'): string[] {
  return readList(text, { parameter, most: Infinity, isRight: isIdentifier, why: 'is not a name' });
}

export function readPatterns(text: string): string[] {
  const why = 'is neither a name nor a pattern such as pump*';
  return readList(text, { parameter: 'names', most: Infinity, isRight: isNameOrPattern, why });
}

export function readAreas(text: string): string[] {
  const why = 'is not an area, which is a path such as works.dosing';
  return readList(text, { parameter: 'area', most: Infinity, isRight: isArea, why });
}

export function readSites(text: string): string[] {
  const isRight = (site: string) => site.length > 0 && site.length <= 256;
  return readList(text, {
    parameter: 'site',
    most: Infinity,
    isRight,
    why: 'is neither the id nor the name of a site',
  });
}

export function readWords(parameter: string, text: string, known: readonly string[]): string[] {
  return readList(text, {
    parameter,
    most: known.length,
    isRight: (word) => known.includes(word),
    why: `is not a ${parameter === 'fields' ? 'field' : parameter}; known are ${known.join(', ')}`,
  });
}

interface ListRules {
  readonly parameter: string;
  /** Items, the same one given twice counted twice. */
  readonly most: number;
  readonly isRight: (item: string) => boolean;
  readonly why: string;
}

function readList(text: string, rules: ListRules): string[] {
  if (text === '') return [];
  const { parameter, most, isRight, why } = rules;
  const items: string[] = [];
  const faults: Fault[] = [];
  for (let start = 0; start <= text.length; ) {
    if (items.length === most) {
      const what = parameter === 'fields' ? 'fields' : 'items';
      throw new ProblemError('invalid-query', `${parameter} lists more than ${most} ${what}.`);
    }
    const comma = text.indexOf(',', start);
    const item = text.slice(start, comma < 0 ? undefined : comma);
    start = comma < 0 ? text.length + 1 : comma + 1;
    items.push(item);
    if (isRight(item)) continue;
    faults.push({ path: parameter, message: `${JSON.stringify(item.slice(0, 80))} ${why}` });
    if (faults.length === maxFaults) break;
  }
  if (faults.length > 0) throw new ProblemError('invalid-query', `${faults[0]?.message}.`, faults);
  return items;
}
