// What does not change with every reading: unit, range, description, datatype and area of points, read once for each name
// that is shown, and again when another configuration runs.
import type { ReadonlySignal } from '@preact/signals';
import type { Datatype } from '@telltale/schema/values';
import { Gathered } from './gathered.ts';
import type { PointKind } from './live-value.ts';
import { client } from './service.ts';

export interface PointFacts {
  readonly kind: PointKind;
  readonly name: string;
  readonly datatype: Datatype;
  readonly address: string;
  /** With their prefixes; null where an end is not set. */
  readonly range: readonly [string | null, string | null];
  readonly eu: string;
  /** How many decimals people are shown; null: as many as the value has. */
  readonly precision: number | null;
  readonly description: string;
  readonly area: string;
}

/** What of it is needed to show and enter a value. */
export type Measure = Pick<PointFacts, 'datatype' | 'eu' | 'range' | 'precision'>;

/** `unknown`: no such point. */
export type Facts = PointFacts | 'pending' | 'unknown';

const fields = ['name', 'datatype', 'address', 'eu-range', 'eu', 'precision', 'description', 'area'] as const;
type ListedPoint = Awaited<ReturnType<typeof client.measurements.list<(typeof fields)[number]>>>[string];

function factsOf(kind: PointKind, item: ListedPoint): PointFacts {
  const { name, datatype, address, eu = '', precision = null, description = '', area = '' } = item;
  return { kind, name, datatype, address, range: item['eu-range'], eu, precision, description, area };
}

function cacheOf(kind: PointKind): Gathered<Facts> {
  return new Gathered<Facts>({
    pending: 'pending',
    read: async (names) => {
      const options = { names, fields };
      const found = await (kind === 'measurements' ? client.measurements.list(options) : client.commands.list(options));
      return (name) => {
        const item = found[name];
        return item === undefined ? 'unknown' : factsOf(kind, item);
      };
    },
  });
}

const caches = { measurements: cacheOf('measurements'), commands: cacheOf('commands') } as const;

export function factsOfPoint(kind: PointKind, name: string): ReadonlySignal<Facts> {
  return caches[kind].of(name);
}
