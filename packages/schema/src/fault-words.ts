// What is said of one fault: what is expected, and, where it can be told what was meant, how to write that. Patterns are
// said by the description of their schema: no regular expression reaches people.
import type { TLocalizedValidationError } from 'typebox/error';
import { parseBoolean } from './boolean-text.ts';
import { type DurationUnit, parseDurationIn } from './duration.ts';

interface Described {
  readonly type?: unknown;
  readonly description?: string;
  /** Of a number that is a duration. */
  readonly 'x-unit'?: DurationUnit;
}

/** A longer text or number is not repeated. */
const maxShown = 40;
const unitWords: Record<DurationUnit, string> = { ms: 'milliseconds', s: 'seconds' };

/** `fits` is whether something else fits the schema: nothing is proposed that would be refused. */
export function faultInWords(
  error: TLocalizedValidationError,
  schema: Described,
  data: unknown,
  fits: (other: unknown) => boolean,
): string {
  switch (error.keyword) {
    case 'enum':
      return `must be one of ${error.params.allowedValues.join(', ')}`;
    case 'const':
      return `must be ${error.params.allowedValue}`;
    case 'type':
      return `must be ${[error.params.type].flat().map(withArticle).join(' or ')}${meant(schema, data, fits)}`;
    case 'pattern':
      return schema.description === undefined ? 'has a wrong form' : `must be ${asPart(schema.description)}`;
    case 'minimum':
    case 'maximum':
      return `must be ${error.params.comparison} ${error.params.limit}`;
    default:
      return error.message;
  }
}

/** How to write what was given in another type, or nothing. */
function meant({ type, 'x-unit': unit }: Described, data: unknown, fits: (other: unknown) => boolean): string {
  if (type === 'string') {
    const text = ['number', 'bigint', 'boolean'].includes(typeof data) ? String(data) : '';
    return text !== '' && text.length <= maxShown && fits(text) ? `: write ${JSON.stringify(text)}` : '';
  }
  if (type === 'boolean') {
    const truth = parseBoolean(String(data).slice(0, maxShown));
    return truth === undefined || typeof data === 'object' ? '' : `: write ${truth}${withoutQuotes(data)}`;
  }
  if ((type !== 'integer' && type !== 'number') || typeof data !== 'string' || data.length > maxShown) return '';
  const duration = unit === undefined ? undefined : parseDurationIn(unit, data.trim());
  if (unit !== undefined && fits(duration)) return `, ${unitWords[unit]}: write ${duration}`;
  const number = /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(data) ? Number(data) : undefined;
  return fits(number) ? `: write ${number}${withoutQuotes(data)}` : '';
}

function withoutQuotes(data: unknown): string {
  return typeof data === 'string' ? ', without quotes' : '';
}

/** A sentence as a part of another one. */
function asPart(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
