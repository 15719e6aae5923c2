// From the value of a node to a part of it: fields of structures, elements of arrays.
import { DataType, Variant, VariantArrayType } from 'node-opcua-client';
import type { PathStep } from './node-address.ts';
import { fieldsOf, isOpaque, type Structure, type StructureField, type StructureTypes } from './structure-types.ts';

/** A value of OPC UA inside another one. */
export interface Part {
  readonly dataType: DataType;
  readonly arrayType: VariantArrayType;
  readonly value: unknown;
  readonly dimensions?: readonly number[] | null;
}

/** Why there is none; undefined: a type has to be read first. */
export function partOf(
  whole: Variant,
  path: readonly PathStep[],
  types: Pick<StructureTypes, 'decode'>,
): Part | string | undefined {
  let part: Part = whole;
  for (const step of path) {
    const next = typeof step === 'string' ? fieldOf(part, step, types) : elementOf(part, step);
    if (next === undefined || typeof next === 'string') return next;
    part = next;
  }
  return part;
}

export function elementOf(part: Part, index: readonly number[]): Part | string {
  if (part.arrayType === VariantArrayType.Scalar) return `it is no array: leave out [${index}]`;
  const sizes = sizesOf(part);
  const isWithin = sizes.length === index.length && index.every((each, at) => each < (sizes[at] ?? 0));
  if (!isWithin) return `there is no element [${index}]: its size is [${sizes}]`;
  const list = part.value as ArrayLike<unknown> | null;
  const value = list?.[positionOf(part, index)];
  return unwrap({ dataType: part.dataType, arrayType: VariantArrayType.Scalar, value });
}

/** In the list of all its elements. */
export function positionOf(part: Part, index: readonly number[]): number {
  const sizes = sizesOf(part);
  return index.reduce((sum, each, at) => sum * (sizes[at] ?? 0) + each, 0);
}

function sizesOf({ arrayType, dimensions, value }: Part): readonly number[] {
  const isMatrix = arrayType === VariantArrayType.Matrix && dimensions;
  return isMatrix ? dimensions : [(value as ArrayLike<unknown> | null)?.length ?? 0];
}

export function fieldOf(part: Part, name: string, types: Pick<StructureTypes, 'decode'>): Part | string | undefined {
  if (part.arrayType !== VariantArrayType.Scalar) return `it is an array: name an element before ${name}, as in [0]`;
  const structure = structureOf(part, types);
  if (structure === undefined || typeof structure === 'string') return structure;
  const field = findField(structure, name);
  return typeof field === 'string' ? field : partOfField(structure, field);
}

export function findField(structure: Structure, name: string): StructureField | string {
  const fields = fieldsOf(structure.schema);
  const field = fields.find(({ originalName }) => originalName === name) ?? fields.find((each) => each.name === name);
  if (field !== undefined) return field;
  const names = fields.slice(0, 20).map(({ originalName, name: own }) => originalName ?? own);
  return `there is no field ${name}: ${structure.schema.name} has ${names.join(', ')}`;
}

/** The reason where it is none. */
export function structureOf(part: Part, types: Pick<StructureTypes, 'decode'>): Structure | string | undefined {
  if (part.dataType !== DataType.ExtensionObject) return `${DataType[part.dataType]} is no structure`;
  if (isOpaque(part.value)) return types.decode(part.value);
  const { value } = part;
  return typeof value === 'object' && value !== null && 'schema' in value
    ? (value as Structure)
    : 'the structure has no value';
}

export function partOfField(structure: Structure, field: StructureField): Part | string {
  const value = Object.hasOwn(structure, field.name)
    ? (structure as unknown as Record<string, unknown>)[field.name]
    : undefined;
  if (value === undefined) return `the field ${field.originalName ?? field.name} has no value`;
  const arrayType = field.isArray ? VariantArrayType.Array : VariantArrayType.Scalar;
  return unwrap({ dataType: builtInOf(field), arrayType, value });
}

function builtInOf({ category, schema, fieldType, basicDataType }: StructureField): DataType {
  if (category === 'complex') return DataType.ExtensionObject;
  if (category === 'enumeration') return DataType.Int32;
  const named = (DataType as unknown as Record<string, DataType>)[schema?.name ?? fieldType];
  return named ?? basicDataType ?? DataType.Null;
}

/** A field may be whatever it is at the moment; an enumeration may come with its name. */
function unwrap(part: Part): Part {
  const { value } = part;
  if (value instanceof Variant) return value;
  if (part.dataType === DataType.Int32 && typeof value === 'object' && value !== null && 'value' in value) {
    return { ...part, value: value.value };
  }
  return part;
}
