// What a cycle of a module works with: the plant as it was when the cycle began, and the outputs that it sets.
import type { Value } from '@telltale/schema/values';
import type { Point } from './point.ts';

export interface PlantOptions {
  readonly measurements: ReadonlyMap<string, Point>;
  readonly commands: ReadonlyMap<string, Point>;
  readonly elapsedS: number;
  readonly overruns: number;
  readonly isConnected: boolean;
  readonly onStatus: (status: string) => void;
}

export class Plant {
  readonly #options: PlantOptions;
  readonly #outputs = new Map<string, Value>();

  constructor(options: PlantOptions) {
    this.#options = options;
  }

  /** Seconds since the cycle before it began; at the first, the period. */
  get elapsedS(): number {
    return this.#options.elapsedS;
  }

  /** Cycles that were left out so far, because those before them took too long. */
  get overruns(): number {
    return this.#options.overruns;
  }

  /** False while there is no link to the service: then nothing is good, and every write fails. */
  get isConnected(): boolean {
    return this.#options.isConnected;
  }

  /** Throws if it is not among the module's `measurements`. */
  measurement(name: string): Point {
    return pointIn(this.#options.measurements, name, 'measurements');
  }

  /** Throws if it is not among the module's `commands`. */
  command(name: string): Point {
    return pointIn(this.#options.commands, name, 'commands');
  }

  /** Sets a command, written once, when the cycle ends. Throws if it is not among the module's `commands`. */
  write(name: string, value: Value): void {
    this.command(name);
    this.#outputs.set(name, value);
  }

  /** What the module says of itself: the service shows it beside its state. */
  set status(text: string) {
    this.#options.onStatus(text);
  }

  get outputs(): ReadonlyMap<string, Value> {
    return this.#outputs;
  }
}

function pointIn(points: ReadonlyMap<string, Point>, name: string, list: string): Point {
  const point = points.get(name);
  if (point !== undefined) return point;
  throw new TypeError(
    `${JSON.stringify(name)} is not in the list of ${list} that the module reads and writes: add it.`,
  );
}
