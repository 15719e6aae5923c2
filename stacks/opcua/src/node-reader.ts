// Reads of nodes, many in a request: for what is not monitored, and for what is asked once.
import { NotConnected } from '@telltale/stack-kit';
import {
  DataValue,
  ReadRequest,
  type ReadResponse,
  type ReadValueIdOptions,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import { type NodeItem, type Readings, takeReading } from './node-item.ts';
import { inPieces, Unanswered } from './service-fault.ts';
import type { UaLink } from './ua-link.ts';
import { isTime, timeUsOf } from './value-codec.ts';

/** Adds a reading an item, unless a report came meanwhile. Throws `NotConnected` where the server is silent. */
export async function readItems(link: UaLink, items: readonly NodeItem[], readings: Readings): Promise<void> {
  const before = items.map(({ last }) => last);
  // Those that are parts of one value share it.
  const positions = new Map<string | NodeItem, number>();
  const nodes: ReadValueIdOptions[] = [];
  const positionOf = items.map((item) => {
    const { node = {} } = item;
    const key = item.path.length === 0 ? item : String(item.node?.nodeId);
    const position = positions.get(key) ?? nodes.push(node) - 1;
    positions.set(key, position);
    return position;
  });
  const { values, deviceNowUs } = await readNodes(link, nodes, TimestampsToReturn.Both);
  for (const [at, item] of items.entries()) {
    const value = values[positionOf[at] ?? -1];
    if (value !== undefined && item.last === before[at]) takeReading(item, value, deviceNowUs, readings);
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
  let deviceNowUs: number | undefined;
  const ask = async (nodesToRead: ReadValueIdOptions[]) => {
    deviceNowUs = undefined;
    const request = new ReadRequest({ nodesToRead, timestampsToReturn, maxAge: 0 });
    const { results, responseHeader } = await link.transact<ReadResponse>(request);
    const { timestamp } = responseHeader;
    deviceNowUs = isTime(timestamp) ? timeUsOf(timestamp) : undefined;
    return nodesToRead.map((_, at) => results?.[at] ?? valueless(StatusCodes.BadUnexpectedError));
  };
  try {
    const refused = (status: StatusCode, some: readonly unknown[]) => some.map(() => valueless(status));
    return { values: await inPieces(nodes, link.limits.read, ask, refused), deviceNowUs };
  } catch (error) {
    throw error instanceof Unanswered ? new NotConnected(error.message) : error;
  }
}

function valueless(statusCode: StatusCode): DataValue {
  return new DataValue({ statusCode });
}
