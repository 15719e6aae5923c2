// A thread for tests of the link: answers, fails, waits, reports, and dies.
import { ProblemError } from '@telltale/schema/values';
import { type Link, Moved, parentLink } from '../src/threads/index.ts';

export interface TestThread {
  echo<T>(value: T): T;
  /** Which no message can carry. */
  symbol(): Promise<symbol>;
  refuse(detail: string): Promise<void>;
  fail(text: string): void;
  /** Until it is aborted; what its signal said is the result of `lastReason`. */
  wait(): Promise<void>;
  lastReason(): string | undefined;
  /** As `wait`, but asks for its signal after `go` alone. */
  waitLate(): Promise<void>;
  go(): void;
  /** Reports 1 to `steps`. */
  count(steps: number): number;
  /** Fills the bytes, and gives them back. */
  fill(bytes: Uint8Array<ArrayBuffer>, value: number): Uint8Array<ArrayBuffer>;
  /** Calls `double` of the other side. */
  askBack(value: number): Promise<number>;
  note(text: string): void;
  die(text: string): void;
  /** For ever. */
  block(): void;
  close(): void;
}

export interface TestClient {
  double(value: number): number;
  noted(text: string): void;
}

let lastReason: string | undefined;
const started = Promise.withResolvers<void>();
const link: Link<TestClient, TestThread> = parentLink<TestClient, TestThread>({
  echo: (value) => value,
  symbol: async () => Symbol('of this thread'),
  refuse: async (detail) => {
    throw new ProblemError('invalid-value', detail, [{ path: '/a', message: 'is wrong' }]);
  },
  fail: (text) => {
    throw new TypeError(text);
  },
  wait: ({ signal }) =>
    new Promise<void>((_, reject) => {
      signal.onabort = () => {
        lastReason = String(signal.reason);
        reject(signal.reason);
      };
    }),
  lastReason: () => lastReason,
  waitLate: async (call) => {
    await started.promise;
    lastReason = call.signal.aborted ? String(call.signal.reason) : undefined;
  },
  go: () => started.resolve(),
  count(steps, call) {
    for (let step = 1; step <= steps; step++) call.report(step);
    return steps;
  },
  fill: (bytes, value) => new Moved(bytes.fill(value), [bytes.buffer]),
  askBack: (value) => link.call('double', [value]),
  note: (text) => void link.notify('noted', [text]),
  die: (text) => {
    setImmediate(() => {
      throw new Error(text);
    });
  },
  block: () => {
    for (;;);
  },
  close: () => {},
});
