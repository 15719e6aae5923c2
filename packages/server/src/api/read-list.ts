// Lists in a query: names and fields, comma-separated, checked while they are parsed. There may be as many names as fit
// the header. Parsing stops at the first field too many and at the 20th fault.
import { type Fault, isIdentifier, maxFaults, ProblemError } from '@telltale/schema';

export function readNames(text: string): string[] {
  return readList(text, {
    parameter: 'names',
    most: Infinity,
    isRight: isIdentifier,
    why: 'is not a name',
  });
}

export function readFields(text: string, known: readonly string[]): string[] {
  return readList(text, {
    parameter: 'fields',
    most: known.length,
    isRight: (field) => known.includes(field),
    why: `is not a field; known are ${known.join(', ')}`,
  });
}

interface ListRules {
  readonly parameter: 'names' | 'fields';
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
      throw new ProblemError('invalid-query', `${parameter} lists more than ${most} ${parameter}.`);
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
