// What a client of HistoryRead asks for, as the archive understands it; or why that cannot be answered.
import { form, traitsOf } from '@telltale/schema';
import type { StackPoint } from '@telltale/stack-kit';
import type { ReadProcessedDetails, ReadRawModifiedDetails } from 'node-opcua-client';
import { type NodeId, type StatusCode, StatusCodes } from 'node-opcua-client';
import { type ProcessedRequest, type Shares, servedAggregates } from './history-aggregates.ts';
import type { RawRequest } from './history-raw.ts';
import { isTime, type PreciseDate, timeUsOf } from './value-codec.ts';

/** Why a node of a request is not answered. */
export class HistoryRefused extends Error {
  readonly status: StatusCode;

  constructor(status: StatusCode) {
    super(status.description);
    this.status = status;
  }
}

/** Within the times that records can have. */
export function archiveTime(date: Date): number {
  const timeUs = timeUsOf(date, (date as PreciseDate).picoseconds);
  return Math.min(Math.max(0, timeUs), Number.MAX_SAFE_INTEGER - 1);
}

export function rawRequestOf(details: ReadRawModifiedDetails): RawRequest {
  const { isReadModified, startTime, endTime, numValuesPerNode: count, returnBounds: bounds } = details;
  if (isReadModified) throw new HistoryRefused(StatusCodes.BadHistoryOperationUnsupported);
  const [startUs, endUs] = [startTime, endTime].map((date) => (isTime(date) ? archiveTime(date) : undefined));
  const given = [startUs !== undefined, endUs !== undefined, count > 0].filter(Boolean);
  if (given.length < 2) throw new HistoryRefused(StatusCodes.BadHistoryOperationInvalid);
  return { startUs, endUs, count, bounds };
}

/** Texts are neither added nor compared. */
const ofTexts = ['count', 'duration-good', 'duration-bad', 'worst-quality', 'percent-good'];

export function aggregateOf(nodeId: NodeId | undefined, { datatype }: StackPoint): number {
  const isStandard = nodeId?.namespace === 0 && typeof nodeId.value === 'number';
  const served = isStandard ? servedAggregates.get(nodeId.value as number) : undefined;
  if (served === undefined) throw new HistoryRefused(StatusCodes.BadAggregateNotSupported);
  if (traitsOf(datatype).form === form.text && !ofTexts.includes(served.aggregate)) {
    throw new HistoryRefused(StatusCodes.BadAggregateInvalidInputs);
  }
  return nodeId?.value as number;
}

export function processedRequestOf(details: ReadProcessedDetails): ProcessedRequest {
  const { startTime, endTime, processingInterval, aggregateConfiguration } = details;
  if (!isTime(startTime) || !isTime(endTime)) throw new HistoryRefused(StatusCodes.BadInvalidArgument);
  const [startUs, endUs] = [archiveTime(startTime), archiveTime(endTime)];
  const intervalUs = Math.round(processingInterval * 1000);
  if (startUs === endUs || !(intervalUs >= 0 && intervalUs <= Number.MAX_SAFE_INTEGER)) {
    throw new HistoryRefused(StatusCodes.BadInvalidArgument);
  }
  return { startUs, endUs, intervalUs, shares: sharesOf(aggregateConfiguration) };
}

/** As the address space shows them, unless the client says otherwise. That uncertain values count, and that all is stepped, it cannot change. */
function sharesOf(rules: ReadProcessedDetails['aggregateConfiguration'] | undefined | null): Shares {
  if (rules === undefined || rules === null || rules.useServerCapabilitiesDefaults) {
    return { percentGood: 100, percentBad: 100 };
  }
  const { percentDataBad, percentDataGood, treatUncertainAsBad, useSlopedExtrapolation } = rules;
  if (percentDataBad > 100 || percentDataGood > 100 || percentDataGood < 100 - percentDataBad) {
    throw new HistoryRefused(StatusCodes.BadAggregateInvalidInputs);
  }
  if (treatUncertainAsBad || useSlopedExtrapolation) {
    throw new HistoryRefused(StatusCodes.BadAggregateConfigurationRejected);
  }
  return { percentGood: percentDataGood, percentBad: percentDataBad };
}
