// The request of the reader thread to the writer: snapshots of some names of a query.
import type { ReadRequest } from './archive-access.ts';
import type { Kind, SimulatedFilter } from './records.ts';

export interface SnapshotRequest {
  readonly kind: Kind;
  readonly names: readonly string[];
  readonly sinceUs: number;
  readonly untilUs: number;
  /** Also the record in force at the start, which may be older. */
  readonly needsHead: boolean;
  /** Of which of the records that is looked for. */
  readonly simulated?: SimulatedFilter | undefined;
}

/** Names that are requested together. */
const namesAtOnce = 16;

/** Of the names from `from` on, as many as are requested together. */
export function snapshotRequest(request: ReadRequest, from: number): SnapshotRequest {
  const { kind, names, sinceUs, untilUs } = request;
  return {
    kind,
    names: names.slice(from, from + namesAtOnce),
    sinceUs,
    untilUs,
    needsHead: needsHead(request),
    simulated: request.simulated,
  };
}

export function needsHead({ warpHead, resampleUs, calendar }: ReadRequest): boolean {
  return warpHead === true || resampleUs !== undefined || calendar !== undefined;
}
