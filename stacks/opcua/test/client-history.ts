// HistoryRead of the client of the tests: one node a request.
import {
  AggregateConfiguration,
  AggregateFunction,
  type ClientSession,
  coerceNodeId,
  DataType,
  HistoryReadRequest,
  ReadAtTimeDetails,
  ReadEventDetails,
  ReadProcessedDetails,
  ReadRawModifiedDetails,
  TimestampsToReturn,
} from 'node-opcua-client';

/** Times are microseconds; left out: not specified. */
export interface HistoryOrder {
  readonly raw?: { start?: number; end?: number; count?: number; bounds?: boolean; isModified?: boolean };
  readonly at?: { times: readonly number[]; isSimple?: boolean };
  readonly processed?: {
    start: number;
    end: number;
    intervalMs: number;
    aggregate: keyof typeof AggregateFunction;
    rules?: Partial<AggregateConfiguration>;
  };
  readonly events?: true;
  /** In hexadecimal, of an answer. */
  readonly point?: string;
  readonly isReleased?: boolean;
  readonly stamps?: keyof typeof TimestampsToReturn;
  readonly indexRange?: string;
  readonly encoding?: string;
  /** The node, so often. */
  readonly nodes?: number;
}

export interface HistoryAnswer {
  readonly status: string;
  readonly point: string;
  readonly values: readonly HistoryValue[];
}

export interface HistoryValue {
  readonly value: unknown;
  readonly type: string;
  /** By its name, and what is below it. */
  readonly status: string;
  readonly bits: number;
  readonly timeUs: number | undefined;
  readonly serverUs: number | undefined;
}

interface Answered {
  readonly dataValues?: readonly {
    readonly value: { readonly value: unknown; readonly dataType: DataType };
    readonly statusCode: { readonly value: number; readonly name: string };
    readonly sourceTimestamp: Date | null;
    readonly sourcePicoseconds: number;
    readonly serverTimestamp: Date | null;
  }[];
}

export async function readHistory(session: ClientSession, nodeId: string, order: HistoryOrder): Promise<HistoryAnswer> {
  const node = {
    nodeId: coerceNodeId(nodeId),
    continuationPoint: order.point === undefined ? undefined : Buffer.from(order.point, 'hex'),
    indexRange: order.indexRange,
    dataEncoding: order.encoding === undefined ? undefined : { name: order.encoding },
  };
  const request = new HistoryReadRequest({
    historyReadDetails: detailsOf(order),
    timestampsToReturn: TimestampsToReturn[order.stamps ?? 'Source'],
    releaseContinuationPoints: order.isReleased ?? false,
    nodesToRead: Array.from({ length: order.nodes ?? 1 }, () => node) as never,
  });
  const { results } = await session.historyRead(request);
  const [result] = results ?? [];
  const { dataValues } = (result?.historyData ?? {}) as Answered;
  return {
    status: result?.statusCode.name ?? 'none',
    point: result?.continuationPoint?.toString('hex') ?? '',
    values: (dataValues ?? []).map(({ value, statusCode, sourceTimestamp, sourcePicoseconds, serverTimestamp }) => ({
      value: value?.value ?? null,
      type: DataType[value?.dataType ?? DataType.Null],
      status: statusCode.name.replace(/[#(].*/, ''),
      bits: statusCode.value & 0xffff,
      timeUs: sourceTimestamp === null ? undefined : sourceTimestamp.getTime() * 1000 + sourcePicoseconds / 1e6,
      serverUs: serverTimestamp === null ? undefined : serverTimestamp.getTime() * 1000,
    })),
  };
}

/** Before all times: none. */
const unspecified = new Date(Date.UTC(1601, 0, 1));

function detailsOf({ raw, at, processed, events }: HistoryOrder) {
  const date = (us: number | undefined) => (us === undefined ? unspecified : new Date(us / 1000));
  if (at !== undefined) {
    return new ReadAtTimeDetails({ reqTimes: at.times.map((us) => date(us)), useSimpleBounds: at.isSimple ?? false });
  }
  if (processed !== undefined) {
    const { start, end, intervalMs, aggregate, rules } = processed;
    return new ReadProcessedDetails({
      startTime: date(start),
      endTime: date(end),
      processingInterval: intervalMs,
      aggregateType: [coerceNodeId(AggregateFunction[aggregate])],
      aggregateConfiguration: new AggregateConfiguration(
        rules === undefined ? { useServerCapabilitiesDefaults: true } : rules,
      ),
    });
  }
  if (events) return new ReadEventDetails({});
  const { start, end, count = 0, bounds = false, isModified = false } = raw ?? {};
  return new ReadRawModifiedDetails({
    isReadModified: isModified,
    startTime: date(start),
    endTime: date(end),
    numValuesPerNode: count,
    returnBounds: bounds,
  });
}
