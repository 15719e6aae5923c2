// How the values of points are shown to people: their units and decimals, asked of the service once for each point.
import { type Channel, TelltaleProblem, Unreachable } from '@telltale/client';
import type { LiveCommand, LiveMeasurement } from '@telltale/schema';
import type { Call } from './declaration.ts';

export type PointFamily = 'measurements' | 'commands';

/** What a value is shown with. */
export type Shown = Pick<LiveMeasurement & LiveCommand, 'eu' | 'precision'>;

export const shownFields = ['eu', 'precision'] as const;

export async function shownOf(
  { client, signal }: Call,
  family: PointFamily,
  names: readonly string[],
): Promise<Record<string, Shown>> {
  const asked = { names, fields: shownFields, signal };
  return await (family === 'commands' ? client.commands.list(asked) : client.measurements.list(asked));
}

const namesARequest = 1000;

/** Of the points that are watched over a channel: new ones are asked for when they come. */
export class WatchedPoints {
  readonly #family: PointFamily;
  readonly #known = new Map<string, Shown>();

  constructor(family: PointFamily) {
    this.#family = family;
  }

  of(name: string): Shown | undefined {
    return this.#known.get(name);
  }

  forget(name: string): void {
    this.#known.delete(name);
  }

  clear(): void {
    this.#known.clear();
  }

  /** Where the connection is lost meanwhile, values are shown without. */
  async learn(channel: Channel, names: Iterable<string>, signal: AbortSignal | undefined): Promise<void> {
    const unknown = [...new Set(names)].filter((name) => !this.#known.has(name));
    try {
      for (let at = 0; at < unknown.length; at += namesARequest) {
        const asked = { names: unknown.slice(at, at + namesARequest), fields: [...shownFields] };
        const found = await this.#read(channel, asked, signal);
        for (const [name, shown] of Object.entries(found)) this.#known.set(name, shown);
      }
    } catch (error) {
      if (!(error instanceof Unreachable) && !(error instanceof TelltaleProblem)) throw error;
    }
  }

  async #read(
    channel: Channel,
    asked: { names: string[]; fields: (keyof Shown)[] },
    signal: AbortSignal | undefined,
  ): Promise<Record<string, Shown>> {
    if (this.#family === 'commands') return (await channel.request('ReadCommands', asked, { signal })).commands;
    return (await channel.request('ReadMeasurements', asked, { signal })).measurements;
  }
}
