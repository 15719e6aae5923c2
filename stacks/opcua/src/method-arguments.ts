// The arguments of a call, in the types that the method takes. Pure.
import type { Datatype, Value } from '@telltale/schema';
import { DataType, Variant, VariantArrayType } from 'node-opcua-client';
import { type Fixed, isFixed, placeholder, templateOf } from './method-template.ts';
import { toNode, typeOf } from './value-codec.ts';

/** What a method takes, as the server says it. */
export interface MethodInput {
  readonly name: string;
  /** Undefined: anything. */
  readonly type: DataType | undefined;
  readonly isArray: boolean;
}

/** A text says why it cannot be called with these. */
export function argumentsOf(
  { properties, datatype }: { readonly properties: Readonly<Record<string, string>>; readonly datatype: Datatype },
  value: Value,
  inputs: readonly MethodInput[],
): Variant[] | string {
  const given = templateOf(properties);
  if (typeof given === 'string') return given;
  const names = inputs.map(({ name }) => name).join(', ');
  if (given === undefined && inputs.length > 1) {
    return `the method takes ${inputs.length} arguments (${names}): set the property arguments`;
  }
  const template = given ?? inputs.map(() => placeholder);
  if (template.length !== inputs.length) {
    return `the method takes ${inputs.length} arguments (${names || 'none'}), the property arguments has ${template.length}`;
  }
  const hasValue = template.flat().includes(placeholder);
  // Nobody who writes false or 0 wants something to begin.
  if (!hasValue && !(Number(value) || (typeof value === 'string' && value !== ''))) {
    return `${value === '' ? 'an empty text' : value} calls nothing: the method does not take the value; write true or 1`;
  }
  try {
    return inputs.map((input, at) => variantOf(template[at] ?? '', input, value, datatype));
  } catch (error) {
    if (error instanceof RangeError) return error.message.replace('the node is', 'an argument is');
    throw error;
  }
}

function variantOf(
  given: Fixed | readonly Fixed[],
  { name, type, isArray }: MethodInput,
  value: Value,
  datatype: Datatype,
): Variant {
  const [first] = [given].flat();
  const dataType = type ?? (first === placeholder ? typeOf(datatype) : typeOfFixed(first));
  const convert = (each: Fixed) => toNode(dataType, each === placeholder ? value : each);
  if (isFixed(given)) {
    if (isArray) throw new RangeError(`the argument ${name} is an array: give it as one, such as ["$value"]`);
    return new Variant({ dataType, arrayType: VariantArrayType.Scalar, value: convert(given) });
  }
  if (!isArray && type !== undefined) throw new RangeError(`the argument ${name} is no array`);
  return new Variant({ dataType, arrayType: VariantArrayType.Array, value: given.map(convert) });
}

function typeOfFixed(fixed: Fixed | undefined): DataType {
  if (typeof fixed === 'boolean') return DataType.Boolean;
  return typeof fixed === 'number' ? DataType.Double : DataType.String;
}

/** As an Argument of OPC UA names it; undefined where it is none. */
export function isArgument(value: unknown): value is { name: string | null; dataType: unknown; valueRank: number } {
  return typeof value === 'object' && value !== null && 'dataType' in value && 'valueRank' in value;
}
