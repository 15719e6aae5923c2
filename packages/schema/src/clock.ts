// The clock that every part is given: none reads the system's clock directly, so that tests control the time.

export interface Clock {
  /** The time of day, in whole microseconds since the Unix epoch: for timestamps. It may be set at any moment. */
  now(): number;
  /** Monotonic milliseconds, for all durations. On Node, all threads of a process count from the same moment. */
  monotonicMs(): number;
  /** Calls back once, after at least so many milliseconds, evenly counted; the returned function takes it back. */
  after(ms: number, call: () => void): () => void;
}

/** The present as the time of an event: later than the event before, unless the clock was set back. */
export function timeAfter(lastUs: number, nowUs: number): number {
  return nowUs <= lastUs && lastUs - nowUs < 1000 ? lastUs + 1 : nowUs;
}

/** The longest that a timer of the system waits. */
const longestMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now() * 1000,
  monotonicMs: () => performance.now(),
  after(ms, call) {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (left: number) => {
      timer = setTimeout(() => (left > longestMs ? wait(left - longestMs) : call()), Math.min(left, longestMs));
    };
    wait(Math.max(0, ms)); // a time that has passed is no mistake, and Node would warn of it
    return () => clearTimeout(timer);
  },
};
