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

/**
 * Adds one reading an item, but for those of which a report has come meanwhile: it may be newer than what was read. Throws
 * `NotConnected` where the server is silent.
 */
export async function readItems(
  link: UaLink,
  items: readonly NodeItem[],
  batch: Batch,
  { clock, sourceTimes }: NodeReaderOptions,
): Promise<void> {
  const before = items.map(({ last }) => last);
  const { values, deviceNowUs } = await readNodes(
    link,
    items.map(({ node }) => node ?? {}),
    TimestampsToReturn.Both,
  );
  for (const [at, item] of items.entries()) {
    const value = values[at];
    if (value !== undefined && item.last === before[at])
      takeReading(item, value, deviceNowUs, { batch, clock, sourceTimes });
  }
}

interface Answers {
  /** One a node. */
  readonly values: DataValue[];
  readonly deviceNowUs: number | undefined;
}

/** In as many requests as the server wants. Where it refuses one as a whole, its reason is the status of each. */
export async function readNodes(
  link: UaLink,
  nodes: readonly ReadValueIdOptions[],
  timestampsToReturn = TimestampsToReturn.Neither,
): Promise<Answers> {
  const values: DataValue[] = [];
  let deviceNowUs: number | undefined;
  for (let at = 0; at < nodes.length; at += link.limits.read) {
    const answers = await readOnce(link, nodes.slice(at, at + link.limits.read), timestampsToReturn);
    for (const value of answers.values) values.push(value);
    deviceNowUs = answers.deviceNowUs;
  }
  return { values, deviceNowUs };
}

async function readOnce(
  link: UaLink,
  nodesToRead: ReadValueIdOptions[],
  timestampsToReturn: TimestampsToReturn,
): Promise<Answers> {
  try {
    const request = new ReadRequest({ nodesToRead, timestampsToReturn, maxAge: 0 });
    const { results, responseHeader } = await link.transact<ReadResponse>(request);
    const { timestamp } = responseHeader;
    const missing = () => new DataValue({ statusCode: StatusCodes.BadUnexpectedError });
    return {
      values: nodesToRead.map((_, at) => results?.[at] ?? missing()),
      deviceNowUs: isTime(timestamp) ? timeUsOf(timestamp) : undefined,
    };
  } catch (error) {
    if (error instanceof Unanswered) throw new NotConnected(error.message);
    if (!(error instanceof ServiceFault)) throw error;
    const { status, isTooMuch } = error;
    if (isTooMuch && nodesToRead.length > 1) {
      const half = Math.ceil(nodesToRead.length / 2);
      const first = await readOnce(link, nodesToRead.slice(0, half), timestampsToReturn);
      const second = await readOnce(link, nodesToRead.slice(half), timestampsToReturn);
      return { ...second, values: [...first.values, ...second.values] };
    }
    return { values: nodesToRead.map(() => new DataValue({ statusCode: status })), deviceNowUs: undefined };
  }
}
