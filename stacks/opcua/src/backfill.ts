// After an outage, reads what the server has kept meanwhile, and hands it to the archive: beside live values, one node after the
// other. The archive says since when something is missing; `GapList` what is left of it, also after a restart.
import { Batch, type Clock, pause } from '@telltale/schema';
import type { ConnectorHistory, StackLog, StackPoint } from '@telltale/stack-kit';
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
import { type Gap, GapList } from './gap-list.ts';
import type { NodeItem, NodeRef } from './node-item.ts';
import { readNodes } from './node-reader.ts';
import { ServiceFault } from './service-fault.ts';
import { qualityOfStatus } from './status-quality.ts';
import type { UaLink } from './ua-link.ts';
import { addReading, isTime, timeUsOf } from './value-codec.ts';

export interface BackfillOptions {
  readonly history: ConnectorHistory;
  readonly folder: string;
  readonly clock: Clock;
  readonly log: StackLog;
  readonly isOn: boolean;
  readonly maxHours: number;
}

/** Of one answer. */
const valuesAtOnce = 1000;
/** Between two requests, so that the server has time for others. */
const pauseMs = 20;
/** Live values come first. */
const liveFirstMs = 1000;
/** Answers in a row that bring nothing new: a server with more of them has no end. */
const maxIdleAnswers = 10;
/** Of the attribute AccessLevel. */
const historyReadBit = 4;
/** The server may answer later. */
const passing = [
  StatusCodes.BadResourceUnavailable,
  StatusCodes.BadNoContinuationPoints,
  StatusCodes.BadTooManyOperations,
  StatusCodes.BadContinuationPointInvalid,
  StatusCodes.BadOutOfMemory,
  StatusCodes.BadTimeout,
];

export class Backfill {
  readonly #options: BackfillOptions;
  readonly #gaps: GapList;
  #stored = 0;
  #dropped = 0;

  constructor(options: BackfillOptions) {
    this.#options = options;
    this.#gaps = new GapList(options);
  }

  /** Before the first live value of a link is published: what is missing until now. */
  async look(points: readonly StackPoint[]): Promise<void> {
    const { history, log, isOn } = this.#options;
    if (!isOn || points.length === 0) return;
    try {
      await this.#gaps.note(points, await history.lastRecorded(points));
    } catch (error) {
      log.warn(`history: the archive does not say what is missing: ${(error as Error).message}`);
    }
  }

  /**
   * Ends when nothing is left, or with the signal. What goes wrong ends nothing else: the rest is read after the next link, or after
   * a restart.
   */
  async run(link: UaLink, items: () => readonly NodeItem[], signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    if (this.#gaps.size === 0) return;
    await pause(clock, liveFirstMs, signal);
    if (signal.aborted) return;
    this.#stored = this.#dropped = 0;
    try {
      const kept = await this.#withHistory(link, items());
      for (const item of kept) await this.#fill(link, item, signal);
      const left = this.#gaps.size > 0 ? `; ${this.#gaps.size} points are left for the next link` : '';
      const counts = `${this.#stored} records archived, ${this.#dropped} left out${left}`;
      if (kept.length > 0) log.info(`history: the gaps of ${kept.length} points were filled by the server: ${counts}`);
    } catch (error) {
      const isUnsupported = error instanceof ServiceFault && error.status.equals(StatusCodes.BadServiceUnsupported);
      if (isUnsupported) this.#gaps.clear();
      else if (!signal.aborted) {
        const left = `${this.#stored} records archived, ${this.#gaps.size} points are left for the next link`;
        log.warn(`history: the gaps cannot be filled now: ${(error as Error).message}; ${left}`);
      }
    }
    if (!signal.aborted) await this.#gaps.store();
  }

  /** The link is closed: stores what is left. */
  async close(): Promise<void> {
    await this.#gaps.store();
  }

  /** Those whose gaps the server can fill; of others nothing is left to do. Elements and parts of values have no history of their own. */
  async #withHistory(link: UaLink, items: readonly NodeItem[]): Promise<NodeItem[]> {
    const wanted = items.filter(({ point, node, path }) => {
      return node !== undefined && node.indexRange === undefined && path.length === 0 && this.#gaps.has(point);
    });
    const nodes = wanted.map(({ node }) => ({ ...(node as NodeRef), attributeId: AttributeIds.AccessLevel }));
    const { values } = await readNodes(link, nodes);
    const kept = wanted.filter((_, at) => (Number(values[at]?.value?.value ?? 0) & historyReadBit) !== 0);
    this.#gaps.keep(kept.map(({ point }) => point));
    return kept;
  }

  async #fill(link: UaLink, item: NodeItem, signal: AbortSignal): Promise<void> {
    for (let gap = this.#gaps.first(item.point); gap !== undefined; gap = this.#gaps.first(item.point)) {
      if (!(await this.#fillGap(link, item, gap, signal))) return;
      this.#gaps.end(item.point);
    }
  }

  /** False: something of it is left. */
  async #fillGap(link: UaLink, item: NodeItem, gap: Gap, signal: AbortSignal): Promise<boolean> {
    const { history, clock, log } = this.#options;
    let point: Buffer | undefined;
    let idle = 0;
    do {
      if (signal.aborted) return false;
      const result = await this.#read(link, item.node as NodeRef, gap, point);
      if (result === undefined || result.statusCode.isBad()) {
        log.debug(`history: ${item.point.name}: ${result?.statusCode.name ?? 'no answer'}`);
        return !passing.some((status) => result?.statusCode.equals(status));
      }
      const values = (result.historyData as { dataValues?: readonly DataValue[] } | null)?.dataValues ?? [];
      point = result.continuationPoint?.length > 0 ? result.continuationPoint : undefined;
      const filled = { ...gap };
      const { stored, dropped } = await history.publish(batchOf(item, filled, values, point === undefined));
      this.#stored += stored;
      this.#dropped += dropped;
      gap.lostUs = filled.lostUs;
      gap.inForce = filled.inForce;
      const times = values.flatMap((value) => timeOf(value) ?? []).filter((timeUs) => timeUs < gap.untilUs);
      const lastUs = times.reduce((latest, timeUs) => Math.max(latest, timeUs), 0);
      idle = lastUs > gap.sinceUs ? 0 : idle + 1;
      if (lastUs > gap.sinceUs) gap.sinceUs = lastUs;
      await this.#gaps.progress();
      if (point !== undefined && idle >= maxIdleAnswers) {
        log.warn(`history: ${item.point.name}: the server goes on without an end; the rest is left for the next link`);
        return false;
      }
      await pause(clock, pauseMs, signal);
    } while (point !== undefined);
    return true;
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
