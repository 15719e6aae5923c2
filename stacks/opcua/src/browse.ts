// What a server has to offer: objects and folders to look into; variables, methods and conditions with what is needed to
// configure them.
import { type Datatype, unlessAborted } from '@telltale/schema';
import {
  type BrowseAnswer,
  type BrowsedAlarm,
  type BrowsedPoint,
  type BrowseItem,
  type BrowseRequest,
  Refused,
} from '@telltale/stack-kit';
import {
  AttributeIds,
  BrowseDirection,
  BrowseNextRequest,
  type BrowseNextResponse,
  BrowseRequest as BrowseNodes,
  type BrowseResponse,
  type BrowseResult,
  DataType,
  type DataValue,
  NodeClass,
  NodeId,
  type ReferenceDescription,
} from 'node-opcua-client';
import { offered } from './browse-access.ts';
import { findConditions } from './browse-conditions.ts';
import { datatypes } from './browse-datatypes.ts';
import { browseParts, partCursor } from './browse-parts.ts';
import { formatNamespaceUri, parseAddress } from './node-address.ts';
import { nodeOf } from './node-item.ts';
import { plainId, readProperties } from './node-properties.ts';
import { readNodes } from './node-reader.ts';
import { ServiceFault } from './service-fault.ts';
import type { UaLink } from './ua-link.ts';

const objectsFolder = 'i=85';
interface Wanted {
  readonly referenceTypeId: string;
  readonly nodeClassMask: number;
}

/** HierarchicalReferences. */
const belowIt: Wanted = {
  referenceTypeId: 'ns=0;i=33',
  nodeClassMask: NodeClass.Object | NodeClass.Variable | NodeClass.Method,
};
/** HasCondition, from the source of conditions to each of them; it may be below another node, or none. */
const itsConditions: Wanted = { referenceTypeId: 'ns=0;i=9006', nodeClassMask: NodeClass.Object };
/** Of the path of an array: its elements are looked at. */
const elements = ';[]';
/** A cursor behind the parts of a structure. */
const below = `${partCursor}below`;
/** A cursor behind all that is below a node. */
const ofConditions = 'conditions:';
const resultMask = 0x3f;

export async function browse(link: UaLink, request: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
  try {
    const path = request.path ?? objectsFolder;
    return await unlessAborted(
      signal,
      path.endsWith(elements)
        ? browseElements(link, path.slice(0, -elements.length), request)
        : browseInside(link, path, request),
    );
  } catch (error) {
    if (error instanceof ServiceFault) throw new Refused(error.message);
    throw error;
  }
}

/** The parts of a structure first, where it is one; then what is below the node. */
async function browseInside(link: UaLink, path: string, request: BrowseRequest): Promise<BrowseAnswer> {
  const parsed = parseAddress(path);
  if (typeof parsed === 'string') throw new Refused(`${JSON.stringify(path.slice(0, 100))} is not a path: ${parsed}`);
  const isPart = parsed.path.length > 0;
  const isBelow = request.cursor === below || (request.cursor !== undefined && !request.cursor.startsWith(partCursor));
  if (!isPart && isBelow)
    return browseNode(link, path, request.cursor === below ? { ...request, cursor: undefined } : request);
  const parts = await browseParts(link, path, parsed.path, request);
  if (parts !== undefined) return isPart ? parts : { ...parts, cursor: parts.cursor ?? below };
  if (isPart) throw new Refused(`${path} has no parts`);
  return browseNode(link, path, request);
}

/** What is below the node, then the conditions of it that are not. */
async function browseNode(link: UaLink, path: string, { cursor, limit }: BrowseRequest): Promise<BrowseAnswer> {
  if (cursor?.startsWith(ofConditions)) {
    const found = await conditionsOf(link, path, cursor.slice(ofConditions.length), limit);
    return { items: await describe(link, found.references, path), cursor: found.cursor };
  }
  const { result, cursor: more } = await pageOf(link, path, belowIt, cursor ?? '', limit);
  if (result === undefined || result.statusCode.isBad()) {
    throw new Refused(`the server cannot browse ${path}: ${result?.statusCode.name ?? 'no answer'}`);
  }
  const references = unique(result.references);
  const room = limit - references.length;
  if (more !== undefined) return { items: await describe(link, references, path), cursor: more };
  if (room <= 0) return { items: await describe(link, references, path), cursor: ofConditions };
  const conditions = await conditionsOf(link, path, '', room);
  const all = unique([...references, ...conditions.references]);
  return { items: await describe(link, all, path), cursor: conditions.cursor };
}

/** Nothing where the server knows no conditions. */
async function conditionsOf(link: UaLink, path: string, cursor: string, limit: number) {
  const { result, cursor: more } = await pageOf(link, path, itsConditions, cursor, limit);
  if (result === undefined || result.statusCode.isBad()) return { references: [], cursor: undefined };
  return { references: unique(result.references), cursor: more === undefined ? undefined : ofConditions + more };
}

/** A node may be below another in more than one way; one of another server is not ours to read. */
function unique(references: readonly ReferenceDescription[] | null): ReferenceDescription[] {
  const here = (references ?? []).filter(({ nodeId }) => nodeId.serverIndex === 0);
  return [...new Map(here.map((reference) => [String(reference.nodeId), reference])).values()];
}

interface Page {
  readonly result: BrowseResult | undefined;
  /** Undefined: it was the last one. */
  readonly cursor: string | undefined;
}

async function pageOf(link: UaLink, path: string, wanted: Wanted, cursor: string, limit: number): Promise<Page> {
  const result = cursor === '' ? await first(link, path, wanted, limit) : await next(link, cursor);
  const point = result?.continuationPoint;
  return { result, cursor: point && point.length > 0 ? point.toString('base64url') : undefined };
}

async function first(link: UaLink, path: string, wanted: Wanted, limit: number): Promise<BrowseResult | undefined> {
  const node = nodeOf(path, link.namespaces);
  if (typeof node === 'string') throw new Refused(`${JSON.stringify(path.slice(0, 100))} is not a path: ${node}`);
  const request = new BrowseNodes({
    requestedMaxReferencesPerNode: limit,
    nodesToBrowse: [
      {
        nodeId: node.nodeId,
        browseDirection: BrowseDirection.Forward,
        includeSubtypes: true,
        resultMask,
        ...wanted,
      },
    ],
  });
  return (await link.transact<BrowseResponse>(request)).results?.[0];
}

async function next(link: UaLink, cursor: string): Promise<BrowseResult | undefined> {
  const continuationPoints = [Buffer.from(cursor, 'base64url')];
  const request = new BrowseNextRequest({ continuationPoints, releaseContinuationPoints: false });
  return (await link.transact<BrowseNextResponse>(request)).results?.[0];
}

const attributes = [
  AttributeIds.Value,
  AttributeIds.UserAccessLevel,
  AttributeIds.Description,
  AttributeIds.ValueRank,
  AttributeIds.DataType,
] as const;

async function describe(
  link: UaLink,
  references: readonly ReferenceDescription[],
  parent: string,
): Promise<BrowseItem[]> {
  const variables = references.filter(({ nodeClass }) => nodeClass === NodeClass.Variable);
  const wanted = variables.flatMap(({ nodeId }) =>
    attributes.map((attributeId) => ({ nodeId: plainId(nodeId), attributeId })),
  );
  const { values } = wanted.length === 0 ? { values: [] } : await readNodes(link, wanted);
  const ids = variables.map(({ nodeId }) => nodeId);
  const units = variables.length === 0 ? [] : await readProperties(link, ids, 'EngineeringUnits');
  const conditions = await findConditions(link, references, (nodeId) => addressOf(link, nodeId));
  return references.map((reference) => {
    if (reference.nodeClass === NodeClass.Method) return methodItem(link, reference, parent);
    const at = variables.indexOf(reference);
    const read = values.slice(at * attributes.length, (at + 1) * attributes.length);
    return at < 0
      ? folderItem(link, reference, conditions.get(reference))
      : variableItem(link, reference, read, unitOf(units[at]));
  });
}

/** Proposed with the object that it was found at: another one may have it as well. */
function methodItem(link: UaLink, reference: ReferenceDescription, object: string): BrowseItem {
  const title = titleOf(reference);
  const name = reference.browseName.name ?? title;
  const command = {
    name,
    address: `${addressOf(link, reference.nodeId)}#()`,
    datatype: 'b' as const,
    properties: { object },
  };
  return { title, path: undefined, measurement: undefined, command };
}

function folderItem(link: UaLink, reference: ReferenceDescription, alarm: BrowsedAlarm | undefined): BrowseItem {
  const path = addressOf(link, reference.nodeId);
  return { title: titleOf(reference), path, measurement: undefined, command: undefined, ...(alarm && { alarm }) };
}

function variableItem(
  link: UaLink,
  reference: ReferenceDescription,
  [value, access, description, rank, declared]: readonly DataValue[],
  eu: string | undefined,
): BrowseItem {
  const address = addressOf(link, reference.nodeId);
  const title = titleOf(reference);
  const datatype = datatypes.get(value?.value?.dataType ?? DataType.Null) ?? declaredAs(declared?.value?.value);
  const isArray = Number(rank?.value?.value ?? -1) >= 0;
  if (datatype === undefined || isArray) {
    const path = isArray && datatype !== undefined ? address + elements : address;
    return { title, path, measurement: undefined, command: undefined };
  }
  const text = textOf(description?.value?.value);
  const point: BrowsedPoint = {
    name: reference.browseName.name ?? title,
    address,
    datatype,
    ...(text !== '' && { description: text }),
    ...(eu !== undefined && { eu }),
  };
  return { title, path: address, ...offered(point, access) };
}

/** A node that has no value just now still says what it is, where that is a type of OPC UA itself. */
function declaredAs(type: unknown): Datatype | undefined {
  return type instanceof NodeId && type.namespace === 0 ? datatypes.get(Number(type.value)) : undefined;
}

async function browseElements(link: UaLink, address: string, { cursor, limit }: BrowseRequest): Promise<BrowseAnswer> {
  const node = nodeOf(address, link.namespaces);
  if (typeof node === 'string') throw new Refused(node);
  const { nodeId } = node;
  const { values } = await readNodes(link, [node, { nodeId, attributeId: AttributeIds.UserAccessLevel }]);
  const variant = values[0]?.value;
  const datatype = datatypes.get(variant?.dataType ?? DataType.Null);
  const sizes: number[] = variant?.dimensions ?? [Number(variant?.value?.length ?? 0)];
  if (datatype === undefined) throw new Refused(`${address} has no elements that can be read`);
  const count = sizes.reduce((product, size) => product * size, 1);
  const from = Number(cursor ?? 0);
  const items = Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, at): BrowseItem => {
    const index = indexOf(from + at, sizes).join(',');
    const point = { name: `${node.nodeId.value}_${index}`, address: `${address};[${index}]`, datatype };
    return { title: `[${index}]`, path: undefined, ...offered(point, values[1]) };
  });
  return { items, cursor: from + items.length < count ? String(from + items.length) : undefined };
}

/** The last dimension runs fastest. */
function indexOf(position: number, sizes: readonly number[]): number[] {
  const index: number[] = [];
  let rest = position;
  for (const size of sizes.toReversed()) {
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
}

/** By the URI of the namespace, which stays when the server restarts. */
function addressOf(link: UaLink, nodeId: NodeId): string {
  const { namespace, identifierType, value } = nodeId;
  const letter = 'isgb'[identifierType - 1];
  const identifier = Buffer.isBuffer(value) ? value.toString('base64') : String(value).replaceAll('#', '##');
  const uri = namespace === 0 ? undefined : link.namespaces[namespace];
  const space = namespace === 0 ? '' : uri === undefined ? `ns=${namespace};` : `${formatNamespaceUri(uri)};`;
  return `${space}${letter}=${identifier}`;
}

function unitOf(unit: unknown): string | undefined {
  return textOf((unit as { displayName?: unknown } | null | undefined)?.displayName) || undefined;
}

function titleOf({ displayName, browseName }: ReferenceDescription): string {
  return textOf(displayName) || browseName.name || '';
}

function textOf(value: unknown): string {
  const { text } = (value ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text.slice(0, 1000) : '';
}
