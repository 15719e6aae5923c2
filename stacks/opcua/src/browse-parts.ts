// What a structure, or an array of structures, has inside: parts to look into, and values with the address of their path.
import { type BrowseAnswer, type BrowseItem, type BrowseRequest, Refused } from '@telltale/stack-kit';
import { AttributeIds, DataType, VariantArrayType } from 'node-opcua-client';
import { offered } from './browse-access.ts';
import { datatypes } from './browse-datatypes.ts';
import { formatPath, isFieldName, type PathStep } from './node-address.ts';
import { nodeOf } from './node-item.ts';
import { readNodes } from './node-reader.ts';
import { elementOf, type Part, partOf, partOfField, structureOf } from './structure-path.ts';
import { fieldsOf } from './structure-types.ts';
import type { UaLink } from './ua-link.ts';

/** How a cursor of parts begins; a continuation point, as text, cannot. */
export const partCursor = '#';
/** A structure in a structure, and so on: each may be of a type that has to be read. */
const maxTypes = 20;

/** Undefined where the node is no structure, and no array of them. */
export async function browseParts(
  link: UaLink,
  address: string,
  path: readonly PathStep[],
  { cursor, limit }: BrowseRequest,
): Promise<BrowseAnswer | undefined> {
  const node = nodeOf(address, link.namespaces);
  if (typeof node === 'string') throw new Refused(node);
  const { nodeId } = node;
  const { values } = await readNodes(link, [node, { nodeId, attributeId: AttributeIds.UserAccessLevel }]);
  const whole = values[0]?.value;
  if (!whole || (path.length === 0 && whole.dataType !== DataType.ExtensionObject)) return undefined;
  const part = await learned(link, () => partOf(whole, path, link.types));
  if (typeof part === 'string') throw new Refused(`${address}: ${part}`);
  const steps = await stepsOf(link, part);
  const from = Number(cursor?.slice(partCursor.length) ?? 0);
  const base = path.length === 0 ? address : address.slice(0, address.lastIndexOf('#'));
  const items = steps.slice(from, from + limit).map(([step, inner]): BrowseItem => {
    const partPath = formatPath([...path, step]);
    const partAddress = `${base}#${partPath}`;
    const title = typeof step === 'string' ? step : `[${step}]`;
    const isScalar = typeof inner !== 'string' && inner.arrayType === VariantArrayType.Scalar;
    const datatype = isScalar ? datatypes.get(inner.dataType) : undefined;
    const point = datatype && { name: `${nodeId.value}_${partPath}`, address: partAddress, datatype };
    const isDeeper = typeof inner !== 'string' && point === undefined;
    return { title, path: isDeeper ? partAddress : undefined, ...offered(point, values[1]) };
  });
  const isMore = from + items.length < steps.length;
  return { items, cursor: isMore ? `${partCursor}${from + items.length}` : undefined };
}

async function stepsOf(link: UaLink, part: Part): Promise<[PathStep, Part | string][]> {
  if (part.arrayType !== VariantArrayType.Scalar) {
    const { length } = (part.value ?? []) as ArrayLike<unknown>;
    return Array.from({ length }, (_, at) => [[at], elementOf(part, [at])]);
  }
  const structure = await learned(link, () => structureOf(part, link.types));
  if (typeof structure === 'string') throw new Refused(structure);
  return fieldsOf(structure.schema)
    .map((field): [string, Part | string] => [field.originalName ?? field.name, partOfField(structure, field)])
    .filter(([name]) => isFieldName(name));
}

/** Reads the types that it takes. */
async function learned<Result>(link: UaLink, read: () => Result | undefined): Promise<Result | string> {
  for (let at = 0; at < maxTypes; at++) {
    const result = read();
    if (result !== undefined) return result;
    await link.types.learn();
  }
  return 'its type cannot be read';
}
