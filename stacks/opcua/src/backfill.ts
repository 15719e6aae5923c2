// After an outage, reads what the server has kept meanwhile, and hands it to the archive: beside live values, one node after the
// other. What is left when the link is lost again is read after the next one. The archive says since when something is missing.
import { Batch, type Clock, pause } from '@telltale/schema';
import type { ConnectorHistory, LastRecorded, StackLog, StackPoint } from '@telltale/stack-kit';
import {
  AttributeIds,
  type DataValue,
  HistoryReadRequest,
  type HistoryReadResponse,
  type HistoryReadResult,
  ReadRawModifiedDetails,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import type { NodeItem, NodeRef } from './node-item.ts';
import { readNodes } from './node-reader.ts';
import { qualityOfStatus } from './status-quality.ts';
import { ServiceFault, type UaLink } from './ua-link.ts';
import { addReading, isTime, timeUsOf } from './value-codec.ts';

export interface BackfillOptions {
  readonly history: ConnectorHistory;
  readonly clock: Clock;
  readonly log: StackLog;
  readonly isOn: boolean;
  readonly maxHours: number;
}

/** What is missing of a node: from a record that the archive has until the link was there. */
interface Gap {
  sinceUs: number;
  readonly untilUs: number;
  /** Of the record that says that the link was lost; undefined where there is none. */
  lostUs: number | undefined;
  /** The last value before that: it is still in force after it. */
  inForce: DataValue | undefined;
}

/** Of one answer. */
const valuesAtOnce = 1000;
/** Between two requests, so that the server has time for others. */
const pauseMs = 20;
/** Live values come first. */
const liveFirstMs = 1000;
/** Of the attribute AccessLevel. */
const historyReadBit = 4;

export class Backfill {
  readonly #options: BackfillOptions;
  /** By name, address and datatype; those of a point the oldest first. */
  readonly #gaps = new Map<string, Gap[]>();
  #stored = 0;
  #dropped = 0;

  constructor(options: BackfillOptions) {
    this.#options = options;
  }

  /** Before the first live value of a link is published: what is missing until now. */
  async look(points: readonly StackPoint[]): Promise<void> {
    const { history, clock, log, isOn, maxHours } = this.#options;
    if (!isOn || points.length === 0) return;
    try {
      const found = await history.lastRecorded(points);
      const nowUs = clock.now();
      const oldestUs = nowUs - maxHours * 3_600_000_000;
      const present = new Set(points.map(keyOf));
      for (const key of this.#gaps.keys()) if (!present.has(key)) this.#gaps.delete(key);
      for (const [at, point] of points.entries()) this.#note(keyOf(point), found[at], oldestUs, nowUs);
    } catch (error) {
      log.warn(`history: the archive does not say what is missing: ${(error as Error).message}`);
    }
  }

  /** Ends when nothing is left, or with the signal. What goes wrong ends nothing else: the rest is read after the next link. */
  async run(link: UaLink, items: () => readonly NodeItem[], signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    if (this.#gaps.size === 0) return;
    await pause(clock, liveFirstMs, signal);
    if (signal.aborted) return;
    this.#stored = this.#dropped = 0;
    try {
      const kept = await this.#withHistory(link, items());
      for (const item of kept) await this.#fill(link, item, signal);
      const counts = `${this.#stored} records archived, ${this.#dropped} left out`;
      if (kept.length > 0) log.info(`history: the gaps of ${kept.length} points were filled by the server: ${counts}`);
    } catch (error) {
      const isUnsupported = error instanceof ServiceFault && error.status.equals(StatusCodes.BadServiceUnsupported);
      if (isUnsupported) this.#gaps.clear();
      else if (!signal.aborted) {
        const left = `${this.#stored} records archived, ${this.#gaps.size} points are left for the next link`;
        log.warn(`history: the gaps cannot be filled now: ${(error as Error).message}; ${left}`);
      }
    }
  }

  /** Those whose gaps the server can fill; of others nothing is left to do. Elements and parts of values have no history of their own. */
  async #withHistory(link: UaLink, items: readonly NodeItem[]): Promise<NodeItem[]> {
    const wanted = items.filter(({ point, node, path }) => {
      return node !== undefined && node.indexRange === undefined && path.length === 0 && this.#gaps.has(keyOf(point));
    });
    const nodes = wanted.map(({ node }) => ({ ...(node as NodeRef), attributeId: AttributeIds.AccessLevel }));
    const { values } = await readNodes(link, nodes);
    const kept = wanted.filter((_, at) => (Number(values[at]?.value?.value ?? 0) & historyReadBit) !== 0);
    const keys = new Set(kept.map(({ point }) => keyOf(point)));
    for (const key of [...this.#gaps.keys()]) if (!keys.has(key)) this.#gaps.delete(key);
    return kept;
  }

  #note(key: string, last: LastRecorded | undefined, oldestUs: number, untilUs: number): void {
    if (last === undefined) return;
    const { newestUs, soundUs = newestUs } = last;
    const sinceUs = Math.max(soundUs, oldestUs);
    if (sinceUs >= untilUs) return;
    // What the new one covers, and what is too old by now, goes.
    const before = (this.#gaps.get(key) ?? []).filter((gap) => gap.untilUs > oldestUs && gap.sinceUs < sinceUs);
    const lostUs = newestUs > soundUs ? newestUs : undefined;
    this.#gaps.set(key, [...before, { sinceUs, untilUs, lostUs, inForce: undefined }]);
  }

  async #fill(link: UaLink, item: NodeItem, signal: AbortSignal): Promise<void> {
    const { history, clock, log } = this.#options;
    const key = keyOf(item.point);
    for (let gap = this.#gaps.get(key)?.[0]; gap !== undefined; gap = this.#gaps.get(key)?.[0]) {
      let isMore = true;
      for (let point: Buffer | undefined; isMore && !signal.aborted; ) {
        const result = await this.#read(link, item.node as NodeRef, gap, point);
        if (result === undefined || result.statusCode.isBad()) {
          log.debug(`history: ${item.point.name}: ${result?.statusCode.name ?? 'no answer'}`);
          break;
        }
        const values = (result.historyData as { dataValues?: readonly DataValue[] } | null)?.dataValues ?? [];
        point = result.continuationPoint?.length > 0 ? result.continuationPoint : undefined;
        isMore = point !== undefined;
        const { stored, dropped } = await history.publish(batchOf(item, gap, values, !isMore));
        this.#stored += stored;
        this.#dropped += dropped;
        const lastUs = values.reduce((latest, value) => Math.max(latest, timeOf(value) ?? 0), 0);
        if (lastUs > gap.sinceUs) gap.sinceUs = lastUs;
        await pause(clock, pauseMs, signal);
      }
      if (signal.aborted) return;
      this.#endGap(key);
    }
  }

  /** Undefined where the server does not know the service. */
  async #read(link: UaLink, { nodeId }: NodeRef, gap: Gap, continuationPoint: Buffer | undefined) {
    const request = new HistoryReadRequest({
      historyReadDetails: new ReadRawModifiedDetails({
        isReadModified: false,
        startTime: new Date(Math.floor(gap.sinceUs / 1000)),
        endTime: new Date(Math.ceil(gap.untilUs / 1000)),
        numValuesPerNode: valuesAtOnce,
        returnBounds: false,
      }),
      timestampsToReturn: TimestampsToReturn.Source,
      releaseContinuationPoints: false,
      nodesToRead: [{ nodeId, continuationPoint }] as never,
    });
    const { results } = await link.transact<HistoryReadResponse>(request);
    return results?.[0] as HistoryReadResult | undefined;
  }

  #endGap(key: string): void {
    const rest = this.#gaps.get(key)?.slice(1) ?? [];
    if (rest.length === 0) this.#gaps.delete(key);
    else this.#gaps.set(key, rest);
  }
}

function keyOf({ name, address, datatype }: StackPoint): string {
  return `${datatype} ${name} ${address}`;
}

function timeOf({ sourceTimestamp, sourcePicoseconds }: DataValue): number | undefined {
  return isTime(sourceTimestamp) ? timeUsOf(sourceTimestamp, sourcePicoseconds) : undefined;
}

/** The value that was in force when the link was lost is in force again right after that. */
function batchOf(item: NodeItem, gap: Gap, values: readonly DataValue[], isLast: boolean): Batch {
  const batch = new Batch();
  const add = (value: DataValue, timeUs: number) => {
    const isNull = value.value === undefined || value.value === null || value.value.dataType === 0;
    const quality = qualityOfStatus(value.statusCode.value);
    if (isNull) batch.none(item.point.id, quality, timeUs);
    else addReading(batch, item.point, value.value, false, quality, timeUs);
  };
  const restate = () => {
    if (gap.lostUs !== undefined && gap.inForce !== undefined) add(gap.inForce, gap.lostUs + 1);
    gap.lostUs = gap.inForce = undefined;
  };
  for (const value of values) {
    const timeUs = timeOf(value);
    if (timeUs === undefined || timeUs < gap.sinceUs || timeUs >= gap.untilUs) continue;
    if (gap.lostUs !== undefined) {
      if (timeUs <= gap.lostUs) gap.inForce = value;
      else restate();
    }
    add(value, timeUs);
  }
  if (isLast) restate();
  return batch;
}
