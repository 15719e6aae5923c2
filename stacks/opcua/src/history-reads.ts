// HistoryRead of the provider: every request of a client to the archive, node by node. Takes the place of the library's own history,
// which is in memory. Bounded: nodes of a request, values of an answer, continuation points of a session.
import { type Clock, form, traitsOf } from '@telltale/schema';
import {
  type HistoryRecord,
  maxHistoryRecords,
  type ProviderHistory,
  Refused,
  type StackLog,
} from '@telltale/stack-kit';
import {
  DataValue,
  HistoryData,
  type HistoryReadRequest,
  HistoryReadResult,
  type HistoryReadValueId,
  PermissionFlag,
  ReadAtTimeDetails,
  ReadProcessedDetails,
  ReadRawModifiedDetails,
  StatusCodes,
  TimestampsToReturn,
  type Variant,
} from 'node-opcua-client';
import type { OPCUAServer } from 'node-opcua-server';
import {
  aggregateValue,
  intervalsOf,
  judgesOf,
  requestsOf,
  type ServedAggregate,
  servedAggregates,
} from './history-aggregates.ts';
import { readAtTime } from './history-at-time.ts';
import { type Continuation, HistoryContinuations } from './history-continuations.ts';
import { aggregateOf, archiveTime, HistoryRefused, processedRequestOf, rawRequestOf } from './history-details.ts';
import { type RawPlace, type RawRequest, type RawValue, type ReadPage, readRaw, timeOf } from './history-raw.ts';
import { recordVariantOf } from './node-type.ts';
import { type Served, type ServedSpace, statusOf } from './served-space.ts';
import { statusOfQuality } from './status-quality.ts';

/** Of one request. */
export const maxHistoryNodes = 100;
/** Of one answer, all nodes together; those of texts are much longer. */
const maxValues = 50_000;
const maxTexts = 48;
/** Of a node that is read at times. */
const maxTimes = 1000;

type Engine = NonNullable<OPCUAServer['engine']>;
type Context = Parameters<Engine['historyRead']>[0];
type Details = HistoryReadRequest['historyReadDetails'];

export interface HistoryReadsOptions {
  readonly history: ProviderHistory;
  readonly space: ServedSpace;
  readonly clock: Clock;
  readonly log: StackLog;
}

/** What a node is read for. */
interface Asked {
  readonly served: Served;
  readonly session: object;
  readonly node: string;
  /** Values, at most. */
  readonly most: number;
}

interface Answered {
  readonly values: readonly DataValue[];
  readonly next: Continuation | undefined;
}

export class HistoryReads {
  readonly #options: HistoryReadsOptions;
  readonly #continuations = new HistoryContinuations();

  constructor(options: HistoryReadsOptions) {
    this.#options = options;
  }

  install({ engine }: OPCUAServer): void {
    engine.historyRead = (context, request) => this.#answer(context, request);
    engine.historyServerCapabilities.accessHistoryDataCapability = true;
    engine.historyServerCapabilities.maxReturnDataValues = maxHistoryRecords;
  }

  /** One node after the other: a client with many waits for its own. */
  async #answer(context: Context, request: HistoryReadRequest): Promise<HistoryReadResult[]> {
    const nodes = request.nodesToRead ?? [];
    const results: HistoryReadResult[] = [];
    for (const [index, node] of nodes.entries()) {
      results.push(await this.#answerNode(context, request, node, index, nodes.length));
    }
    return results;
  }

  async #answerNode(
    context: Context,
    request: HistoryReadRequest,
    node: HistoryReadValueId,
    index: number,
    nodes: number,
  ): Promise<HistoryReadResult> {
    try {
      const session = (context as { session?: object }).session ?? this;
      const key = node.nodeId.toString();
      const point = node.continuationPoint?.length > 0 ? node.continuationPoint : undefined;
      const kept = point === undefined ? undefined : this.#continuations.take(session, point, key);
      if (point !== undefined && kept === undefined) throw new HistoryRefused(StatusCodes.BadContinuationPointInvalid);
      if (request.releaseContinuationPoints) return new HistoryReadResult({ statusCode: StatusCodes.Good });
      const served = this.#servedFor(context, node);
      refuseOtherTimes(request);
      const isText = traitsOf(served.point.datatype).form === form.text;
      const most = Math.min(maxHistoryRecords, Math.max(1, Math.floor((isText ? maxTexts : maxValues) / nodes)));
      const asked = { served, session, node: key, most };
      return this.#result(asked, await this.#read(asked, request.historyReadDetails, index, kept));
    } catch (error) {
      return new HistoryReadResult({ statusCode: this.#statusOf(error) });
    }
  }

  #servedFor(context: Context, { nodeId, indexRange, dataEncoding }: HistoryReadValueId): Served {
    const { space } = this.#options;
    const served = space.servedAt(nodeId);
    if (served === undefined) {
      const isThere = space.hasNode(nodeId);
      throw new HistoryRefused(isThere ? StatusCodes.BadHistoryOperationUnsupported : StatusCodes.BadNodeIdUnknown);
    }
    if (!context.checkPermission(served.variable, PermissionFlag.ReadHistory as never)) {
      throw new HistoryRefused(StatusCodes.BadUserAccessDenied);
    }
    if (served.point.isArchived !== true) throw new HistoryRefused(StatusCodes.BadHistoryOperationUnsupported);
    // Every value is a scalar of a type that needs no encoding.
    if (indexRange !== undefined && indexRange !== null && !indexRange.isEmpty()) {
      throw new HistoryRefused(StatusCodes.BadIndexRangeInvalid);
    }
    if (dataEncoding?.name) throw new HistoryRefused(StatusCodes.BadDataEncodingInvalid);
    return served;
  }

  async #read(asked: Asked, details: Details, index: number, kept: Continuation | undefined): Promise<Answered> {
    if (kept?.kind === 'raw') return this.#raw(asked, kept.request, kept.place);
    if (kept?.kind === 'processed') return this.#processed(asked, kept);
    const { node, served } = asked;
    if (details instanceof ReadRawModifiedDetails) return this.#raw(asked, rawRequestOf(details));
    if (details instanceof ReadAtTimeDetails) return this.#atTimes(asked, details);
    if (!(details instanceof ReadProcessedDetails))
      throw new HistoryRefused(StatusCodes.BadHistoryOperationUnsupported);
    const aggregate = aggregateOf(details.aggregateType?.[index], served.point);
    return this.#processed(asked, {
      node,
      kind: 'processed',
      request: processedRequestOf(details),
      aggregate,
      from: 0,
    });
  }

  async #raw({ served, node, most }: Asked, request: RawRequest, from?: RawPlace): Promise<Answered> {
    const { values, place } = await readRaw(this.#pages(served), request, most, from);
    const next = place === undefined ? undefined : ({ node, kind: 'raw', request, place } as const);
    return { values: values.map((value) => rawValue(served, value)), next };
  }

  async #atTimes({ served, most }: Asked, { reqTimes, useSimpleBounds }: ReadAtTimeDetails): Promise<Answered> {
    const times = reqTimes ?? [];
    if (times.length === 0) throw new HistoryRefused(StatusCodes.BadInvalidArgument);
    if (times.length > Math.min(maxTimes, most)) throw new HistoryRefused(StatusCodes.BadTooManyOperations);
    const nowUs = this.#options.clock.now();
    const values: DataValue[] = [];
    for (const time of times) {
      if (time === null) throw new HistoryRefused(StatusCodes.BadInvalidArgument);
      const timeUs = archiveTime(time);
      const { record, status } = await readAtTime(this.#pages(served), timeUs, nowUs, useSimpleBounds);
      values.push(dataValue(record && recordVariantOf(served, record), status, timeUs));
    }
    return { values, next: undefined };
  }

  async #processed(asked: Asked, kept: Continuation & { kind: 'processed' }): Promise<Answered> {
    const { history, clock } = this.#options;
    const { served, most } = asked;
    const { request, aggregate: number, from } = kept;
    const aggregate = servedAggregates.get(number) as ServedAggregate;
    const intervals = intervalsOf(request, from, most);
    const found = new Map<string, HistoryRecord>();
    for (const each of new Set([aggregate.aggregate, ...judgesOf(aggregate, request.shares)])) {
      for (const asking of requestsOf(intervals, each)) {
        for (const record of await history.aggregate(served.point, asking))
          found.set(`${each} ${record.timeUs}`, record);
      }
    }
    const first = await history.read(served.point, { sinceUs: 0, untilUs: Number.MAX_SAFE_INTEGER, limit: 1 });
    const extent = { firstUs: first.records[0]?.timeUs, nowUs: clock.now() };
    const plain = (record: HistoryRecord) => recordVariantOf(served, record);
    const values = intervals.map((interval) => {
      const of = (each: string) => found.get(`${each} ${interval.sinceUs}`);
      const { variant, status } = aggregateValue(aggregate, interval, of, request.shares, extent, plain);
      return dataValue(variant, status, interval.timeUs);
    });
    const isMore = intervalsOf(request, from + intervals.length, 1).length > 0;
    return { values, next: isMore ? { ...kept, from: from + intervals.length } : undefined };
  }

  #pages({ point }: Served): ReadPage {
    return (request) => this.#options.history.read(point, request);
  }

  #result({ session }: Asked, { values, next }: Answered): HistoryReadResult {
    const continuationPoint = next === undefined ? undefined : this.#continuations.keep(session, next);
    if (next !== undefined && continuationPoint === undefined) {
      throw new HistoryRefused(StatusCodes.BadNoContinuationPoints);
    }
    return new HistoryReadResult({
      statusCode: values.length === 0 ? StatusCodes.GoodNoData : StatusCodes.Good,
      historyData: new HistoryData({ dataValues: [...values] }),
      ...(continuationPoint !== undefined && { continuationPoint }),
    });
  }

  #statusOf(error: unknown) {
    if (error instanceof HistoryRefused) return error.status;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log.info(`a client cannot read the archive: ${reason}`);
    const isRefused = error instanceof Error && error.name === Refused.name;
    return isRefused ? StatusCodes.BadResourceUnavailable : StatusCodes.BadUnexpectedError;
  }
}

/** The archive has the times of the source. A client that wants both gets those alone; one that wants others gets none. */
function refuseOtherTimes({ timestampsToReturn: wanted, historyReadDetails }: HistoryReadRequest): void {
  if (wanted === TimestampsToReturn.Neither) throw new HistoryRefused(StatusCodes.BadInvalidTimestampArgument);
  if (wanted !== TimestampsToReturn.Server) return;
  const isProcessed = historyReadDetails instanceof ReadProcessedDetails;
  throw new HistoryRefused(
    isProcessed ? StatusCodes.BadTimestampsToReturnInvalid : StatusCodes.BadTimestampNotSupported,
  );
}

function rawValue(served: Served, value: RawValue): DataValue {
  if ('missingUs' in value) return dataValue(undefined, StatusCodes.BadBoundNotFound.value, timeOf(value));
  return dataValue(recordVariantOf(served, value), statusOfQuality(value.quality), value.timeUs);
}

function dataValue(variant: Variant | undefined, status: number, timeUs: number): DataValue {
  const value = new DataValue(null);
  if (variant !== undefined) value.value = variant;
  value.statusCode = statusOf(status);
  value.sourceTimestamp = new Date(Math.floor(timeUs / 1000));
  value.sourcePicoseconds = (timeUs % 1000) * 1e6;
  return value;
}
