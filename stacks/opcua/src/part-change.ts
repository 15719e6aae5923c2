// Changes a part of the value of a node, so that the whole can be written back: everything beside the part stays as it was, byte by byte.
import type { Value } from '@telltale/schema';
import { BinaryStream, BinaryStreamSizeCalculator } from 'node-opcua-binary-stream';
import { DataType, Variant, VariantArrayType } from 'node-opcua-client';
import type { PathStep } from './node-address.ts';
import { elementOf, findField, type Part, partOfField, positionOf, structureOf } from './structure-path.ts';
import { isOpaque, type Opaque, type Structure, type StructureTypes } from './structure-types.ts';
import { toNode } from './value-codec.ts';

type Types = Pick<StructureTypes, 'decode'>;

/** What is wrong with the path, or with the value. */
export class Unfit extends Error {}

/** The type of a structure has to be read first. */
export class TypeUnknown extends Error {}

/**
 * Changes `whole`, which nobody else may have. Throws `Unfit`, and where it cannot be changed without changing more; then, and where it
 * throws `TypeUnknown`, nothing has changed.
 */
export function changePart(whole: Variant, path: readonly PathStep[], value: Value, types: Types): void {
  const { dataType, arrayType, dimensions } = whole;
  whole.value = changed({ dataType, arrayType, dimensions, value: whole.value }, path, value, types);
}

/** What takes the place of the value of the part. Containers are changed when all that is in them was found to fit. */
function changed(part: Part, path: readonly PathStep[], value: Value, types: Types): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return leafOf(part, value);
  if (typeof step === 'string') return withField(part, step, rest, value, types);
  const element = found(elementOf(part, step));
  const list = part.value as unknown[];
  const position = positionOf(part, step);
  const after = changed(element, rest, value, types);
  list[position] = wrapped(list[position], element, after);
  return list;
}

function withField(part: Part, name: string, rest: readonly PathStep[], value: Value, types: Types): unknown {
  const structure = found(structureOf(found(part), types));
  const field = found(findField(structure, name));
  const child = found(partOfField(structure, field));
  const opaque = isOpaque(part.value) ? part.value : undefined;
  // Where reading and writing are not the inverse of each other, fields that were not meant would change.
  if (opaque !== undefined && !encode(structure).equals(opaque.buffer)) {
    throw new Unfit(`${structure.schema.name} cannot be written back as it was read`);
  }
  const after = changed(child, rest, value, types);
  const fields = structure as unknown as Record<string, unknown>;
  fields[field.name] = wrapped(fields[field.name], child, after);
  if (opaque === undefined) return part.value;
  (opaque as { -readonly [Key in keyof Opaque]: Opaque[Key] }).buffer = encode(structure);
  return opaque;
}

function leafOf({ arrayType, dataType }: Part, value: Value): unknown {
  if (arrayType !== VariantArrayType.Scalar) throw new Unfit('it is an array: name an element, as in [0]');
  if (dataType === DataType.ExtensionObject) throw new Unfit('it is a structure: name a field');
  try {
    return toNode(dataType, value);
  } catch (error) {
    throw error instanceof RangeError ? new Unfit(error.message) : error;
  }
}

/** A field that may be whatever it is stays of the type that it has. */
function wrapped(before: unknown, { dataType, arrayType, dimensions }: Part, value: unknown): unknown {
  return before instanceof Variant
    ? new Variant({ dataType, arrayType, value, ...(dimensions && { dimensions: [...dimensions] }) })
    : value;
}

function found<T extends object>(result: T | string | undefined): T {
  if (result === undefined) throw new TypeUnknown();
  if (typeof result === 'string') throw new Unfit(result);
  return result;
}

function encode(structure: Structure): Buffer {
  const size = new BinaryStreamSizeCalculator();
  structure.encode(size as unknown as BinaryStream);
  const stream = new BinaryStream(size.length);
  structure.encode(stream);
  return stream.buffer;
}
