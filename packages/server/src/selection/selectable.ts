// What can be selected: live objects of one kind, by handle.
import type { Datatype } from '@telltale/schema';
import type { Alarms } from '../alarms/index.ts';
import type { Commands, Measurements } from '../points/index.ts';

/** What selectors look at, of the configuration of an object. */
export interface Definition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly area?: string | undefined;
  readonly connectorName?: string | undefined;
  readonly datatype?: Datatype;
}

/** The published quality of each object, and which of them have another one. */
export interface Qualities {
  qualityOf(handle: number): number;
  /** Those whose quality may be another one than at the last call. */
  takeQualityChanges(): Iterable<number>;
  /** Those that are simulated. */
  simulatedHandles(): Iterable<number>;
  readonly simulated: number;
}

export interface Selectable {
  readonly size: number;
  /** -1 where there is none. */
  find(name: string): number;
  all(): Iterable<number>;
  /** Undefined where there is no object at this handle. The same one until it is configured otherwise. */
  definitionAt(handle: number): Definition | undefined;
  /** Called when an object came or is configured otherwise: it can be read. */
  onPut(listener: (handle: number) => void): void;
  onRemoval(listener: (handle: number) => void): void;
  /** Of measurements alone. */
  readonly qualities?: Qualities;
}

export function selectablePoints(points: Measurements | Commands): Selectable {
  return {
    get size() {
      return points.size;
    },
    find: (name) => points.find(name),
    all: () => points.all(),
    definitionAt: (handle) => points.definitionOf(handle),
    onPut: (listener) => points.onPut(listener),
    onRemoval: (listener) => points.onRemoval(listener),
    ...('qualityOf' in points && { qualities: points }),
  };
}

export function selectableAlarms(alarms: Alarms): Selectable {
  return {
    get size() {
      return alarms.size;
    },
    find: (name) => alarms.find(name),
    all: () => alarms.all(),
    definitionAt: (handle) => alarms.definitionAt(handle),
    onPut: (listener) => alarms.onPut(listener),
    onRemoval: (listener) => void alarms.onChange((handle, isRemoved) => isRemoved && listener(handle)),
  };
}
