// Reads of nodes, many in a request: for what is not monitored, and for what is asked once.
import type { Batch, Clock } from '@telltale/schema';
import { NotConnected, type SourceTimes } from '@telltale/stack-kit';
import {
  DataValue,
  ReadRequest,
  type ReadResponse,
  type ReadValueIdOptions,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import { type NodeItem, takeReading } from './node-item.ts';
import { ServiceFault, type UaLink, Unanswered } from './ua-link.ts';
import { isTime, timeUsOf } from './value-codec.ts';

export interface NodeReaderOptions {
  readonly clock: Clock;
  readonly sourceTimes: SourceTimes;
}

/** Adds one reading an item. Throws `NotConnected` where the server is silent. */
export async function readItems(
  link: UaLink,
  items: readonly NodeItem[],
  batch: Batch,
  { clock, sourceTimes }: NodeReaderOptions,
): Promise<void> {
  const { values, deviceNowUs } = await readNodes(
    link,
    items.map(({ node }) => node ?? {}),
    TimestampsToReturn.Both,
  );
  for (const [at, item] of items.entries()) {
    const value = values[at] ?? new DataValue({ statusCode: StatusCodes.BadUnexpectedError });
    takeReading(item, value, deviceNowUs, { batch, clock, sourceTimes });
  }
}

/** One value a node; where the server refuses the request as a whole, its reason as the status of each. */
export async function readNodes(
  link: UaLink,
  nodesToRead: ReadValueIdOptions[],
  timestampsToReturn = TimestampsToReturn.Neither,
): Promise<{ readonly values: readonly DataValue[]; readonly deviceNowUs: number | undefined }> {
  try {
    const request = new ReadRequest({ nodesToRead, timestampsToReturn, maxAge: 0 });
    const { results, responseHeader } = await link.transact<ReadResponse>(request);
    const { timestamp } = responseHeader;
    return { values: results ?? [], deviceNowUs: isTime(timestamp) ? timeUsOf(timestamp) : undefined };
  } catch (error) {
    if (error instanceof Unanswered) throw new NotConnected(error.message);
    if (!(error instanceof ServiceFault)) throw error;
    const { status } = error;
    return { values: nodesToRead.map(() => new DataValue({ statusCode: status })), deviceNowUs: undefined };
  }
}
