// Whether an address suits its point: a function that serves this kind of point, its raw datatype, and values that fit it.
// Whether a model has a tag is the model's to say.
import { type Datatype, traitsOf } from '@telltale/schema';
import type { Point, PointKind } from '@telltale/stack-kit';
import { type Address, parseAddress } from './address.ts';
import { type AddressFunction, functionNames, functions } from './functions.ts';
import type { ModelDeclaration } from './model.ts';

/** What is wrong and what would be right, or undefined. */
export function checkAddress(
  kind: PointKind,
  text: string,
  point: Point,
  model?: ModelDeclaration,
): string | undefined {
  const parsed = parseAddress(text, model !== undefined);
  if (parsed.address === undefined) return parsed.fault;
  const { address, given } = parsed;
  const { datatypes, only }: AddressFunction<unknown> = functions[address.function];
  const served = datatypes[kind];
  if (served === undefined) {
    const others = functionNames(model !== undefined).filter((name) => functions[name].datatypes[kind] !== undefined);
    return `${address.function} is not for ${kind}s: one of ${others.join(', ')} is`;
  }
  const misplaced = given.find((argument) => (only[argument] ?? kind) !== kind);
  if (misplaced !== undefined)
    return `${address.function}: ${misplaced} belongs to a ${only[misplaced]}, not to a ${kind}`;
  const datatype = point.rawDatatype ?? point.datatype;
  if (!served.includes(datatype)) return unserved(kind, address, datatype, served);
  return address.function === 'model'
    ? model?.check(kind, address.arguments.tag, datatype)
    : checkValues(address, datatype);
}

function unserved(kind: PointKind, address: Address, datatype: Datatype, served: readonly Datatype[]): string {
  const why =
    address.function === 'drop_link' && traitsOf(datatype).isBoolean
      ? ' (a number of seconds: while the link is down, nothing can be written that would bring it back)'
      : '';
  return `${address.function} ${kind}s are of raw datatype ${served.join(', ')}${why}, not ${datatype}`;
}

/** Undefined of texts. Functions count in doubles: of wider integers they have those that a double holds. */
function rangeOf(datatype: Datatype): readonly [lowest: number, highest: number] | undefined {
  const { lowest, highest, isExactInDouble } = traitsOf(datatype);
  if (lowest === undefined || highest === undefined) return undefined;
  if (!isExactInDouble) return [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return [Number(lowest), Number(highest)];
}

/** The arguments that are values of the measurement. */
function checkValues(address: Address, datatype: Datatype): string | undefined {
  const range = rangeOf(datatype);
  if (range === undefined || !('low' in address.arguments)) return undefined;
  const [lowest, highest] = range;
  for (const argument of ['low', 'high', 'start'] as const) {
    const value = (address.arguments as { low?: number; high?: number; start?: number })[argument];
    if (value !== undefined && (value < lowest || value > highest)) {
      return `${address.function}: ${argument}=${value} does not fit raw datatype ${datatype}, ${lowest} to ${highest}`;
    }
  }
  return undefined;
}
