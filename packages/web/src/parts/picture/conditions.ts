// Conditions on values, such as `>=90` or `1..5`, and lists of them with a word for each.
import { isPrefixedText } from '@telltale/schema/values';

/** A value as conditions see it. */
export interface Tested {
  /** Undefined of texts and alarms. */
  readonly number: number | undefined;
  /** Any of these counts: an alarm has two. */
  readonly texts: readonly string[];
}

export type Condition = (value: Tested) => boolean;

export interface Choice {
  readonly holds: Condition;
  readonly word: string;
}

export function testedOf(prefixed: string): Tested {
  const text = prefixed.slice(1);
  if (isPrefixedText(prefixed)) return { number: undefined, texts: [text] };
  const number = Number(text);
  return { number, texts: [] };
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** Undefined: it makes no sense. */
export function conditionOf(text: string): Condition | undefined {
  if (text === '*') return () => true;
  const range = /^(.+?)\.\.(.+)$/.exec(text);
  if (range !== null) {
    const [lo, hi] = [numberOf(range[1]), numberOf(range[2])];
    if (lo === undefined || hi === undefined) return undefined;
    return ({ number }) => number !== undefined && number >= lo && number <= hi;
  }
  const [, sign = '', operand = ''] = /^(<=|>=|!=|=|<|>)?(.*)$/s.exec(text) ?? [];
  if (operand === '') return undefined;
  const limit = numberOf(operand);
  const compare = comparisons[sign];
  if (compare !== undefined) {
    return limit === undefined ? undefined : ({ number }) => number !== undefined && compare(number, limit);
  }
  const meant = { true: 1, false: 0 }[operand] ?? limit;
  const isSame: Condition = ({ number, texts }) =>
    texts.includes(operand) || (number !== undefined && meant !== undefined && number === meant);
  return sign === '!=' ? (value) => !isSame(value) : isSame;
}

/** `0:closed 1:open`, or with semicolons between them; undefined: it makes no sense. */
export function choicesOf(text: string): Choice[] | undefined {
  const parts = (text.includes(';') ? text.split(';') : text.split(/\s+/)).map((part) => part.trim());
  const choices: Choice[] = [];
  for (const part of parts) {
    if (part === '') continue;
    const colon = part.indexOf(':');
    const holds = colon < 0 ? undefined : conditionOf(part.slice(0, colon).trim());
    if (holds === undefined) return undefined;
    choices.push({ holds, word: part.slice(colon + 1).trim() });
  }
  return choices.length === 0 ? undefined : choices;
}

/** The word of the first that holds. */
export function wordFor(choices: readonly Choice[], value: Tested | undefined): string | undefined {
  return value === undefined ? undefined : choices.find(({ holds }) => holds(value))?.word;
}

/** Browsers draw nothing beyond. */
const mostNumber = 1e30;

export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/.test(text)) return undefined;
  const number = Number(text);
  return Math.abs(number) <= mostNumber ? number : undefined;
}
