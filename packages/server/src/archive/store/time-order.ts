// Puts positions of records into the order of their times; those of the same time stay as they are.

/** Shorter runs are sorted by insertion. */
const runLength = 16;

export function isInOrder(order: Uint32Array, from: number, to: number, times: Float64Array): boolean {
  for (let i = from + 1; i < to; i++) {
    if ((times[order[i] as number] as number) < (times[order[i - 1] as number] as number)) return false;
  }
  return true;
}

/** Sorts `order` from `from` up to `to`. Yields now and then, so that a long sort can be taken in slices. */
export function* sortByTime(order: Uint32Array, from: number, to: number, times: Float64Array): Generator<void, void> {
  if (isInOrder(order, from, to, times)) return;
  for (let start = from; start < to; start += runLength) {
    insertionSort(order, start, Math.min(start + runLength, to), times);
    if (((start - from) & 0xffff) === 0) yield;
  }
  const scratch = new Uint32Array(to - from);
  for (let width = runLength; width < to - from; width *= 2) {
    for (let start = from; start + width < to; start += 2 * width) {
      mergeRuns(order, start, start + width, Math.min(start + 2 * width, to), times, scratch);
      if (width >= 2048) yield;
    }
    yield;
  }
}

function insertionSort(order: Uint32Array, from: number, to: number, times: Float64Array): void {
  for (let i = from + 1; i < to; i++) {
    const moved = order[i] as number;
    const time = times[moved] as number;
    let at = i;
    while (at > from && (times[order[at - 1] as number] as number) > time) {
      order[at] = order[at - 1] as number;
      at--;
    }
    order[at] = moved;
  }
}

function mergeRuns(
  order: Uint32Array,
  from: number,
  middle: number,
  to: number,
  times: Float64Array,
  scratch: Uint32Array,
): void {
  if ((times[order[middle - 1] as number] as number) <= (times[order[middle] as number] as number)) return;
  const left = middle - from;
  scratch.set(order.subarray(from, middle));
  let [a, b, out] = [0, middle, from];
  let timeA = times[scratch[0] as number] as number;
  let timeB = times[order[middle] as number] as number;
  for (;;) {
    if (timeA <= timeB) {
      order[out++] = scratch[a++] as number;
      if (a === left) return;
      timeA = times[scratch[a] as number] as number;
    } else {
      order[out++] = order[b++] as number;
      if (b === to) break;
      timeB = times[order[b] as number] as number;
    }
  }
  order.set(scratch.subarray(a, left), out);
}
