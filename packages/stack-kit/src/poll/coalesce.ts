// Neighbouring spans of a device's addresses, put together into few requests.

export interface Span {
  readonly start: number;
  readonly length: number;
}

export interface CoalesceLimits {
  /** Of one request. A span that is longer by itself stands alone. */
  readonly maxLength: number;
  /** The largest gap between two spans that is read along. */
  readonly maxGap: number;
}

/** A request, and the spans that lie in it, by their start. */
export interface Coalesced<S extends Span> {
  start: number;
  length: number;
  spans: S[];
}

/** As few as can be, by their start. Every span lies whole in exactly one of them. */
export function coalesce<S extends Span>(spans: readonly S[], { maxLength, maxGap }: CoalesceLimits): Coalesced<S>[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.length - a.length);
  const requests: Coalesced<S>[] = [];
  let open: Coalesced<S> | undefined;
  for (const span of sorted) {
    const end = span.start + span.length;
    if (open !== undefined) {
      const gap = span.start - (open.start + open.length);
      const length = Math.max(open.length, end - open.start);
      if (gap <= maxGap && (length <= maxLength || length === open.length)) {
        open.length = length;
        open.spans.push(span);
        continue;
      }
    }
    open = { start: span.start, length: span.length, spans: [span] };
    requests.push(open);
  }
  return requests;
}
