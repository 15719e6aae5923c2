// The type of the node of a point that is served, and values in it. A value that has no place in it is none; it is never bent.
import type { Datatype, Value } from '@telltale/schema';
import type { StackPoint } from '@telltale/stack-kit';
import { DataType, Variant, VariantArrayType } from 'node-opcua-client';
import { servedTypeOf, statesOf } from './served-types.ts';
import { toNode, typeOf } from './value-codec.ts';

export interface NodeType {
  readonly dataType: DataType;
  /** Of an enumeration, from 0 on. */
  readonly states: readonly string[] | undefined;
}

const numbers: ReadonlySet<DataType> = new Set([
  DataType.SByte,
  DataType.Byte,
  DataType.Int16,
  DataType.UInt16,
  DataType.Int32,
  DataType.UInt32,
  DataType.Int64,
  DataType.UInt64,
  DataType.Float,
  DataType.Double,
]);

export function nodeTypeOf(point: StackPoint): NodeType {
  const type = servedTypeOf(point);
  if (type === 'Enumeration') return { dataType: DataType.Int32, states: statesOf(point) };
  return { dataType: type === undefined ? typeOf(point.datatype) : DataType[type], states: undefined };
}

/** Of a number, its engineering range, low end first; with one, it is an AnalogItemType. */
export function rangeOf(
  { euRange }: StackPoint,
  { dataType, states }: NodeType,
): readonly [number, number] | undefined {
  if (euRange === undefined || states !== undefined || !numbers.has(dataType)) return undefined;
  const [low, high] = euRange;
  if (!Number.isFinite(low) || !Number.isFinite(high) || low === high) return undefined;
  return low < high ? euRange : [high, low];
}

/** Whether a node of the one can go on as a node of the other. */
export function isSameType(old: StackPoint, point: StackPoint): boolean {
  const text = (each: StackPoint) => {
    const type = nodeTypeOf(each);
    return JSON.stringify([type, rangeOf(each, type) !== undefined]);
  };
  return text(old) === text(point);
}

/** Undefined where the type has no place for it. */
export function variantOf({ dataType, states }: NodeType, value: Value): Variant | undefined {
  if (states !== undefined && !(Number(value) >= 0 && Number(value) < states.length)) return undefined;
  try {
    return new Variant({ dataType, arrayType: VariantArrayType.Scalar, value: toNode(dataType, value) });
  } catch {
    return undefined;
  }
}

/** Of the archive: in the type of the node, or in that of its datatype where it has no place there, or was of another datatype. */
export function recordVariantOf(
  { point, type }: { readonly point: StackPoint; readonly type: NodeType },
  { datatype, value }: { readonly datatype: Datatype; readonly value: Value },
): Variant {
  const variant = datatype === point.datatype ? variantOf(type, value) : undefined;
  const dataType = typeOf(datatype);
  return variant ?? new Variant({ dataType, arrayType: VariantArrayType.Scalar, value: toNode(dataType, value) });
}

/** What is there before the first value. */
export function emptyOf({ dataType }: NodeType): Variant {
  return new Variant({ dataType, arrayType: VariantArrayType.Scalar, value: empty.get(dataType) ?? 0 });
}

const empty = new Map<DataType, unknown>([
  [DataType.Boolean, false],
  [DataType.Int64, [0, 0]],
  [DataType.UInt64, [0, 0]],
  [DataType.String, ''],
  [DataType.LocalizedText, { text: '' }],
  [DataType.DateTime, new Date(0)],
  [DataType.Guid, '00000000-0000-0000-0000-000000000000'],
  [DataType.ByteString, Buffer.alloc(0)],
]);
