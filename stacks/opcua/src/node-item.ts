// A measurement as the connector reads it: its node at this server, and what came of it last.
import { type Batch, type Clock, isBad, quality } from '@telltale/schema';
import type { ReadingTrace, SourceTimes, StackPoint } from '@telltale/stack-kit';
import { AttributeIds, DataType, type DataValue, NodeId, type ReadValueIdOptions, Variant } from 'node-opcua-client';
import type { BadReadings } from './bad-readings.ts';
import { formatPath, indexRangeOf, type NodeAddress, type PathStep, parseAddress } from './node-address.ts';
import { qualityOfStatus } from './status-quality.ts';
import { type Part, partOf } from './structure-path.ts';
import type { StructureTypes } from './structure-types.ts';
import { addReading, isTime, timeUsOf, toPoint } from './value-codec.ts';

const nodeIdTypes = { i: 1, s: 2, g: 3, b: 4 } as const;

export interface NodeItem {
  /** Another one, of the same node and settings, when the points have changed. */
  point: StackPoint;
  readonly node: NodeRef | undefined;
  /** To the part of the value that it is; items with one share a monitored item. */
  readonly path: readonly PathStep[];
  readonly types: StructureTypes | undefined;
  /** No longer wanted: late notifications are ignored, since its id may have been reused. */
  isGone: boolean;
  /** Why there is no node, or what was wrong with the last reading. */
  error: string | undefined;
  /** The server did not take it when it was last asked to monitor it. */
  isRefused: boolean;
  /** The last answer of the server, and when it came. */
  last: DataValue | undefined;
  lastUs: number;
  /** Of what was published last: the quality before the value was looked at, undefined where nothing was; the time. */
  publishedQuality: number | undefined;
  publishedUs: number;
  /** Something of it was published since it was made. */
  isShown: boolean;
}

/** In the words of a request. */
export interface NodeRef {
  readonly nodeId: NodeId;
  readonly attributeId: AttributeIds;
  /** A text: the library reads it, though its types do not say so. */
  readonly indexRange?: NonNullable<ReadValueIdOptions['indexRange']>;
}

export function itemOf(point: StackPoint, namespaces: readonly string[], types?: StructureTypes): NodeItem {
  const node = nodeOf(point.address, namespaces);
  const address = parseAddress(point.address);
  const error = typeof node === 'string' ? node : undefined;
  return {
    point,
    node: typeof node === 'string' ? undefined : node,
    path: typeof address === 'string' ? [] : address.path,
    types,
    isGone: false,
    error,
    isRefused: false,
    last: undefined,
    lastUs: 0,
    publishedQuality: undefined,
    publishedUs: 0,
    isShown: false,
  };
}

/** Or what is wrong with the address at this server. */
export function nodeOf(address: string, namespaces: readonly string[]): NodeRef | string {
  const parsed = parseAddress(address);
  const nodeId = typeof parsed === 'string' ? parsed : nodeIdOf(parsed, namespaces);
  if (typeof parsed === 'string' || typeof nodeId === 'string') return String(nodeId);
  const indexRange = indexRangeOf(parsed) as unknown as NodeRef['indexRange'];
  return { nodeId, attributeId: AttributeIds.Value, ...(indexRange !== undefined && { indexRange }) };
}

/** Or what is wrong with it at this server. */
export function nodeIdOf(address: NodeAddress, namespaces: readonly string[]): NodeId | string {
  const { namespace: given, kind } = address;
  const namespace = typeof given === 'number' ? given : namespaces.indexOf(given);
  if (namespace < 0) return `the server has no namespace ${given}`;
  return new NodeId(nodeIdTypes[kind], identifierOf(address), namespace);
}

function identifierOf({ kind, identifier }: NodeAddress): number | string | Buffer {
  if (kind === 'i') return Number(identifier);
  return kind === 'b' ? Buffer.from(identifier, 'base64') : identifier;
}

export interface Readings {
  readonly batch: Batch;
  readonly clock: Clock;
  readonly sourceTimes: SourceTimes;
  readonly badReadings: BadReadings;
}

/** `deviceNowUs`: what the server's clock said when it sent the value, where it did. */
export function takeReading(
  item: NodeItem,
  value: DataValue,
  deviceNowUs: number | undefined,
  readings: Readings,
): void {
  if (item.isGone) return;
  const { batch, clock, sourceTimes } = readings;
  const before = item.error;
  const { sourceTimestamp, serverTimestamp, statusCode } = value;
  item.last = value;
  item.lastUs = clock.now();
  const q = qualityOfStatus(statusCode.value);
  if (sourceTimestamp !== null) {
    // The beginning and the end of time are no times: the reading is stamped here, and uncertain.
    sourceTimes.judge(timeUsOf(sourceTimestamp, value.sourcePicoseconds), deviceNowUs, q);
  } else if (isTime(serverTimestamp)) {
    sourceTimes.judge(timeUsOf(serverTimestamp, value.serverPicoseconds), deviceNowUs, q);
  } else {
    sourceTimes.timeUs = item.lastUs;
    sourceTimes.quality = q;
  }
  item.publishedQuality = sourceTimes.quality;
  item.publishedUs = sourceTimes.timeUs;
  item.error = isBad(q) ? `${statusCode.name}: ${statusCode.description}` : undefined;
  republish(item, batch);
  noteError(item, before, readings);
}

/** The server does not give it, and says why. */
export function takeRefusal(item: NodeItem, q: number, error: string, readings: Readings): void {
  if (item.isGone) return;
  const { batch, clock } = readings;
  const before = item.error;
  item.error = error;
  item.lastUs = clock.now();
  item.publishedQuality = q;
  item.publishedUs = item.lastUs;
  republish(item, batch);
  noteError(item, before, readings);
}

function noteError({ point, error }: NodeItem, before: string | undefined, { badReadings }: Readings): void {
  if (error !== undefined && error !== before) badReadings.note(point.name, error);
}

/** What is known of it, without asking the server; nothing where it has not spoken yet. */
export function republish(item: NodeItem, batch: Batch): void {
  const { point, publishedQuality, publishedUs } = item;
  if (publishedQuality === undefined) return;
  const part = isBad(publishedQuality) ? undefined : partFor(item);
  if (isBad(publishedQuality)) batch.none(point.id, publishedQuality, publishedUs);
  else if (typeof part === 'string') {
    item.error = part;
    batch.none(point.id, quality.bad.configurationError, publishedUs);
  } else if (part === undefined) {
    // Its type is being read. Nobody knows the value: what was shown is not it.
    if (item.isShown) batch.none(point.id, quality.bad.nonSpecific, publishedUs);
    return;
  } else {
    const isElement = item.node?.indexRange !== undefined;
    item.error = addReading(batch, point, part, isElement, publishedQuality, publishedUs);
  }
  item.isShown = true;
}

/** What is read from the last answer, or why there is nothing; undefined: a type has to be read first. */
function partFor({ path, last, types }: NodeItem): Part | string | undefined {
  const value = last?.value ?? new Variant();
  if (path.length === 0 || value.dataType === DataType.Null) return value;
  return types === undefined ? 'there are no types of structures' : partOf(value, path, types);
}

/** As another item of the same node, of which more is known. */
export function adopt(item: NodeItem, known: NodeItem, { batch }: Readings): void {
  item.last = known.last;
  item.lastUs = known.lastUs;
  item.publishedQuality = known.publishedQuality;
  item.publishedUs = known.publishedUs;
  item.isRefused = known.isRefused;
  if (known.last === undefined || isBad(known.publishedQuality ?? 0)) item.error = known.error;
  republish(item, batch);
}

/** From the stored part of the last answer. */
export function traceOf(
  item: NodeItem,
  request: string,
  scanPeriodMs: number | undefined,
  device: string | undefined,
): ReadingTrace | undefined {
  const { last, lastUs, error, node, point, path } = item;
  if (last === undefined && error === undefined) return undefined;
  const range = path.length > 0 ? `#${formatPath(path)}` : node?.indexRange === undefined ? '' : `[${node.indexRange}]`;
  const part = partFor(item);
  const { dataType, value: whole } = typeof part === 'object' ? part : new Variant();
  const value = node?.indexRange === undefined ? whole : (whole as unknown[] | null)?.[0];
  return {
    timeUs: lastUs,
    request: `${request} ${node?.nodeId ?? point.address}${range}`,
    raw: last === undefined ? undefined : describe(dataType, value, last),
    value: error === undefined ? toPoint(dataType, value, point.datatype) : undefined,
    error,
    device,
    scanPeriodMs,
  };
}

function describe(type: DataType, value: unknown, { statusCode, sourceTimestamp, serverTimestamp }: DataValue): string {
  const text = (toPoint(type, value, 's') ?? String(value)).toString().slice(0, 500);
  const time = (date: Date | null) => (isTime(date) ? date.toISOString() : 'none');
  return `${DataType[type]} ${text}, ${statusCode.name}, source ${time(sourceTimestamp)}, server ${time(serverTimestamp)}`;
}
