// The live state that the nodes of a site have in common, as the live objects of this one have it.
import type { Logger } from 'pino';
import type { Alarms, StoredAlarm } from './alarms/index.ts';
import type { Commands, Measurements, StoredCommand, StoredDisabledLink, StoredSimulation } from './points/index.ts';
import type { LinkControl } from './runtime/index.ts';
import type { LiveParts, SiteEntry } from './standby/index.ts';
import { type LiveState, sharedFamilies } from './state/index.ts';

export interface SharedLiveOptions {
  readonly commands: Commands;
  readonly alarms: Alarms;
  readonly measurements: Measurements;
  readonly links: LinkControl;
  readonly state: LiveState;
  readonly log: Logger;
}

type Named = { readonly name: string };
type Family = (typeof sharedFamilies)[number];

interface Part {
  has(name: string): boolean;
  stored(): Iterable<Named>;
  take(name: string, stored: Named | undefined): void;
}

export class SharedLive implements LiveParts {
  readonly #options: SharedLiveOptions;
  readonly #parts: Readonly<Record<Family, Part>>;

  constructor(options: SharedLiveOptions) {
    this.#options = options;
    const { commands, alarms, measurements, links } = options;
    this.#parts = {
      commands: {
        has: (name) => commands.find(name) >= 0,
        stored: () => commands.stored(),
        take: (name, stored) => commands.storedElsewhere(name, stored as StoredCommand | undefined),
      },
      alarms: {
        has: (name) => alarms.find(name) >= 0,
        stored: () => alarms.stored(),
        take: (name, stored) => alarms.storedElsewhere(name, stored as StoredAlarm | undefined),
      },
      simulations: {
        has: (name) => measurements.find(name) >= 0,
        stored: () => measurements.storedSimulations(),
        take: (name, stored) => measurements.storedElsewhere(name, stored as StoredSimulation | undefined),
      },
      'disabled-links': {
        has: () => true,
        stored: () => links.stored(),
        take: (name, stored) => links.storedElsewhere(name, stored as StoredDisabledLink | undefined),
      },
    };
  }

  *keys(): Generator<{ readonly family: string; readonly name: string }> {
    for (const family of sharedFamilies) {
      for (const { name } of this.#parts[family].stored()) yield { family, name };
    }
  }

  *stored(): Generator<SiteEntry> {
    for (const family of sharedFamilies) {
      for (const { name, ...stored } of this.#parts[family].stored()) {
        yield { family, name, text: JSON.stringify(stored) };
      }
    }
  }

  /** What is of no family of these is nobody's to look for. */
  has({ family, name }: { readonly family: string; readonly name: string }): boolean {
    return (this.#parts[family as Family] as Part | undefined)?.has(name) ?? true;
  }

  /** What cannot be read is left out, and said. */
  async take(entries: readonly SiteEntry[]): Promise<void> {
    const taken = entries.filter(({ family, name, text }) => {
      const part = this.#parts[family as Family] as Part | undefined;
      try {
        part?.take(name, text === null ? undefined : { name, ...JSON.parse(text) });
        return part !== undefined;
      } catch (error) {
        const { log } = this.#options;
        log.error(`what another node has stored of ${family} ${name} cannot be read: ${(error as Error).message}`);
        return false;
      }
    });
    if (taken.length > 0) await this.#options.state.adopt(taken);
  }
}
