// All times of a lease, from the one that is set. README.md has the argument why they keep two nodes from writing at once.

export interface LeaseTimes {
  readonly ttlMs: number;
  /** For clocks that do not run alike, and for what stands still between a check and the write that it is for. */
  readonly marginMs: number;
  /** A renewal counts so long, from when it was sent. */
  readonly validMs: number;
  /** So long another node has to have seen no renewal. */
  readonly patienceMs: number;
  /** So long etcd has to have answered by then: after an outage, who leads comes first. */
  readonly steadyMs: number;
  readonly renewMs: number;
  /** Without the bell that a watch is. */
  readonly pollMs: number;
  /** For one request, at all endpoints. */
  readonly requestMs: number;
  /** After so long without an answer, the next endpoint is asked as well. */
  readonly hedgeMs: number;
  readonly retryMs: number;
  /** What is kept for a named node is so for so long. */
  readonly reservedMs: number;
}

const leastTtlMs = 1000;

export function leaseTimes(ttlMs: number): LeaseTimes {
  if (!(ttlMs >= leastTtlMs)) throw new RangeError(`A lease needs a TTL of at least ${leastTtlMs} ms, not ${ttlMs}`);
  const marginMs = marginOf(ttlMs);
  return {
    ttlMs,
    marginMs,
    validMs: ttlMs - marginMs,
    patienceMs: patienceFor(ttlMs),
    steadyMs: ttlMs / 2,
    renewMs: ttlMs / 4,
    pollMs: ttlMs / 4,
    requestMs: ttlMs / 4,
    hedgeMs: ttlMs / 16,
    retryMs: ttlMs / 20,
    reservedMs: 5 * ttlMs,
  };
}

/** With the TTL of the node that leads, which may be set otherwise. */
export function patienceFor(ttlMs: number): number {
  return ttlMs + marginOf(ttlMs);
}

function marginOf(ttlMs: number): number {
  return ttlMs / 10 + 100;
}
