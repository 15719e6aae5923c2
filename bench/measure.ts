// Medians of repetitions in which the sides take turns, so that a noisy moment of the machine meets all of them.

export interface Result {
  readonly what: string;
  readonly figure: string;
  /** As the figure should be, where a bound was set. */
  readonly wanted?: string;
  readonly holds?: boolean;
}

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  /** `say` reports how it goes; what counts is in the results. */
  run(say: Say, options: Options): Promise<Result[]>;
}

export type Say = (text: string) => void;

export interface Options {
  /** A tenth of the work or less, for a try: figures say little. */
  readonly quick: boolean;
  /** How many million records the archive grows to. */
  readonly millions: number;
}

type Side = () => Promise<number> | number;

/** Each side gives the milliseconds that it took. Returns the median of each, in the order given. */
export async function takeTurns(rounds: number, ...sides: Side[]): Promise<number[]> {
  const figures = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < sides.length; turn++) {
      const at = (turn + round) % sides.length;
      figures[at]?.push((await sides[at]?.()) ?? 0);
    }
  }
  return figures.map(median);
}

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}

export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export function atMost(what: string, figure: number, bound: number): Result {
  return { what, figure: figure.toFixed(2), wanted: `≤ ${bound}`, holds: figure <= bound };
}

export function atLeast(what: string, figure: number, bound: number): Result {
  return { what, figure: figure.toFixed(2), wanted: `≥ ${bound}`, holds: figure >= bound };
}

/** Milliseconds of processor time that the main thread worked: others on the machine do not count. */
export function busyMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

export const ms = (duration: number): string => `${duration.toFixed(0)} ms`;
