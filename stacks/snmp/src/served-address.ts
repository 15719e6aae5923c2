// The addresses of a provider: where below its base a point is served, and as which type.
import { type Datatype, form as storage, traitsOf } from '@telltale/schema';
import type { Point } from '@telltale/stack-kit';
import { hasOwnType } from './address.ts';

export const servedForms = [
  'integer',
  'unsigned',
  'counter32',
  'counter64',
  'timeticks',
  'text',
  'float',
  'double',
  'truth',
] as const;
export type ServedForm = (typeof servedForms)[number];

export const servedRegex = `^[0-9]{1,10}(?:[.][0-9]{1,10}){0,31}(?::(?:${servedForms.join('|')}))?$`;

/** The first is the one where the address says none. */
function formsOf(datatype: Datatype): readonly ServedForm[] {
  const { form: held, precision, isBoolean, isQuantity } = traitsOf(datatype);
  if (held === storage.text) return ['text'];
  if (isBoolean) return ['integer', 'truth', 'unsigned'];
  if (!isQuantity) return ['integer', 'unsigned'];
  if (precision !== 'whole') return ['text', 'float', 'double', 'integer', 'unsigned'];
  return hasOwnType(datatype)
    ? ['integer', 'unsigned', 'counter32', 'counter64', 'timeticks', 'text']
    : ['counter64', 'integer', 'unsigned', 'counter32', 'timeticks', 'text'];
}

export interface ServedAddress {
  /** Numbers with dots, for below the columns of the base. */
  readonly index: string;
  readonly form: ServedForm;
}

export function parseServedAddress(address: string, datatype: Datatype): ServedAddress {
  const [index = '', form] = address.split(':');
  return { index, form: (form as ServedForm | undefined) ?? formsOf(datatype)[0] ?? 'text' };
}

export function checkServedAddress(address: string, point: Point): string | undefined {
  const { index, form } = parseServedAddress(address, point.datatype);
  const wrong = index.split('.').find((arc) => !/^(?:0|[1-9][0-9]*)$/.test(arc) || Number(arc) >= 2 ** 32);
  if (wrong !== undefined)
    return `${wrong} is not a number of an object identifier: 0 to 4294967295, no zeros before it`;
  const allowed = formsOf(point.datatype);
  if (allowed.includes(form)) return undefined;
  return `:${form} does not go with the datatype ${point.datatype}: one of ${allowed.join(', ')}`;
}
