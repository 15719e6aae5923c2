// What live measurements and live commands have in common: they are found by name, known by handle, have the
// definition that they were rendered with, and their removal is notified.
import type { Clock } from '@telltale/schema';
import { Handles } from './handles.ts';

/** A point that is to be configured otherwise, or to be new: all but what has to happen at one moment is done. */
export interface PreparedPoint {
  readonly handle: number;
  /** What is to happen then. New ones come all together, by `showNew`. */
  readonly takeOver?: () => void;
}

/** `before` is undefined where the point is new. */
export type DefineListener<Point> = (handle: number, after: Point, before: Point | undefined) => void;

export class NamedPoints<Point> {
  protected readonly handles: Handles;
  /** By handle, of those that are shown. */
  protected readonly definitions: (Point | undefined)[] = [];
  readonly #defineListeners: DefineListener<Point>[] = [];
  readonly #putListeners: ((handle: number) => void)[] = [];
  readonly #removalListeners: ((handle: number) => void)[] = [];

  protected constructor(clock: Clock) {
    this.handles = new Handles(clock);
  }

  get size(): number {
    return this.handles.size;
  }

  /** -1 where there is none. */
  find(name: string): number {
    return this.handles.find(name);
  }

  nameOf(handle: number): string {
    return this.handles.nameOf(handle);
  }

  /** As it is configured: the object of the rendering, never modified. */
  definitionOf(handle: number): Point {
    return this.definitions[handle] as Point;
  }

  /** The same; undefined where there is no point at this handle. */
  definitionAt(handle: number): Point | undefined {
    return this.definitions[handle];
  }

  all(): Iterable<number> {
    return this.handles.all();
  }

  /** Called first of all when a point comes or is configured otherwise: what there is of it can still be read, as it was. */
  onDefine(listener: DefineListener<Point>): void {
    this.#defineListeners.push(listener);
  }

  /** Called when a point came or is configured otherwise, at its place in the rendering: others may not be there yet. */
  onPut(listener: (handle: number) => void): void {
    this.#putListeners.push(listener);
  }

  /** Called while the point can still be read, for the last time: a measurement is bad, configuration error, by then. */
  onRemoval(listener: (handle: number) => void): void {
    this.#removalListeners.push(listener);
  }

  protected define(handle: number, point: Point): void {
    for (const listener of this.#defineListeners) listener(handle, point, this.definitions[handle]);
    this.definitions[handle] = point;
  }

  protected notifyPut(handle: number): void {
    for (const listener of this.#putListeners) listener(handle);
  }

  protected notifyRemoval(handle: number): void {
    for (const listener of this.#removalListeners) listener(handle);
  }
}
