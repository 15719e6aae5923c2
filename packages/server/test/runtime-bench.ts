// Everything that runs a rendering, with real stacks in their real threads: what the tests of the runtime stand on.
import {
  Batch,
  type Family,
  type FamilyObject,
  familyNames,
  ProblemError,
  systemClock,
  unstored,
} from '@telltale/schema';
import { pino } from 'pino';
import { admitClient } from '../src/access/index.ts';
import { Alarms, type StoredAlarm } from '../src/alarms/index.ts';
import { type ArchiveAccess, Archiving, type SeriesKey } from '../src/archive/index.ts';
import { type Content, emptyContent } from '../src/cfgdb/content.ts';
import { packRendering } from '../src/cfgdb/rendering.ts';
import { Commands, Measurements } from '../src/points/index.ts';
import { Runtime } from '../src/runtime/index.ts';
import { eventsTo, StackHost } from '../src/stacks/index.ts';
import { idleModules } from './idle-modules.ts';
import { PlainDisk } from './plain-disk.ts';

export type Objects = { [F in Family]?: readonly FamilyObject[F][] };

const stackModules = [
  new URL('stacks/bell.ts', import.meta.url).href,
  new URL('stacks/line-device.ts', import.meta.url).href,
  new URL('stacks/line-panel.ts', import.meta.url).href,
  new URL('stacks/trial.ts', import.meta.url).href,
  new URL('../../../stacks/simulator/src/stack.ts', import.meta.url).href,
];

export class RuntimeBench {
  readonly disk = new PlainDisk();
  readonly alarmsOnDisk = new Map<string, StoredAlarm>();
  readonly lines: { msg: string; connector?: string; provider?: string }[] = [];
  readonly measurements = new Measurements({ clock: systemClock, store: this.disk });
  readonly commands: Commands;
  readonly alarms: Alarms;
  /** What the archive was given; `points` are places in `sources`. */
  readonly records = new Batch();
  readonly sources: SeriesKey[] = [];
  retentions: ReadonlyMap<string, number> = new Map();
  readonly archiving: Archiving;
  readonly modules = idleModules();
  readonly host: StackHost;
  readonly runtime: Runtime;
  #content: Content = emptyContent();
  /** A test with an archive sets it. */
  readArchive: ArchiveAccess['read'] = async () => {
    throw new ProblemError('storage-failed', 'There is no archive here.');
  };
  /** Brings the records to disk; a test with an archive sets it. */
  storeRecords: () => Promise<void> = async () => undefined;
  /** While there are no users; a test with users sets it. */
  isOpen = true;
  /** Before this, nobody is told the whole rendering: its thread is busy. */
  configurationIsFree: Promise<void> = Promise.resolve();

  private constructor(threads: number) {
    this.commands = new Commands({
      clock: systemClock,
      store: this.disk,
      writeToDevice: (...write) => this.runtime.write(...write),
    });
    this.alarms = new Alarms({
      measurements: this.measurements,
      clock: systemClock,
      store: {
        saveAlarm: async (alarm) => void this.alarmsOnDisk.set(alarm.name, alarm),
        deleteAlarm: async (name) => void this.alarmsOnDisk.delete(name),
      },
      acknowledgeAtDevice: (...asked) => this.runtime.acknowledge(...asked),
    });
    this.archiving = new Archiving({
      clock: systemClock,
      measurements: this.measurements,
      commands: this.commands,
      sink: { batch: this.records, refOf: (key) => this.sources.push(key) - 1, added: () => undefined },
      onJump: () => undefined,
    });
    const log = pino({ level: 'debug', base: null }, { write: (line: string) => this.lines.push(JSON.parse(line)) });
    this.host = new StackHost({
      stackModules,
      threads,
      writeTimeoutMs: 5000,
      maxClockSkewMs: 60_000,
      folder: 'no-folder',
      secretsFolder: 'no-folder',
      log,
      events: eventsTo(() => this.runtime),
      onFailure: (error) => {
        throw error;
      },
    });
    this.runtime = new Runtime({
      clock: systemClock,
      measurements: this.measurements,
      commands: this.commands,
      alarms: this.alarms,
      archiving: this.archiving,
      onRetentions: (ofSeries) => {
        this.retentions = new Map(ofSeries);
      },
      modules: this.modules,
      host: this.host,
      disabledLinkStore: this.disk,
      archive: { read: (...read) => this.readArchive(...read), stored: () => this.storeRecords() },
      wholeRendering: async () => {
        await this.configurationIsFree;
        return packRendering(emptyContent(), this.#content);
      },
      clients: () => ({
        carryOut: async (asked, work) => work(admitClient(asked, this.isOpen), () => undefined),
        signIn: () => Promise.reject(new Error('there are no users')),
        signOut: () => undefined,
        signOutAll: () => undefined,
      }),
      log,
    });
  }

  static async start(threads = 1): Promise<RuntimeBench> {
    const bench = new RuntimeBench(threads);
    return bench;
  }

  /** Runs these objects and no others; resolves in the moment in which they take effect. */
  render(objects: Objects): Promise<void> {
    const before = this.#content;
    this.#content = contentOf(objects);
    return this.runtime.prepare(packRendering(before, this.#content)).then((prepared) => void prepared.takeOver());
  }

  /** As `render`, but the last of it cannot be read: it is refused, and what ran runs on. */
  async renderDamaged(objects: Objects): Promise<void> {
    const rendering = packRendering(this.#content, contentOf(objects));
    await this.runtime.prepare(new Uint8Array([...rendering, ...Buffer.from('alarms added 1\n{\n')]));
  }

  valueOf(name: string): unknown {
    const handle = this.measurements.find(name);
    if (handle < 0) return 'none';
    return unstored(this.measurements.datatypeOf(handle), this.measurements.valueOf(handle));
  }

  qualityOf(name: string): number {
    return this.measurements.qualityOf(this.measurements.find(name));
  }

  isGood(name: string, value: unknown): boolean {
    return this.valueOf(name) === value && this.qualityOf(name) === 0xc0;
  }

  async until(what: () => unknown): Promise<void> {
    while (!what()) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  async close(): Promise<void> {
    await this.host.close(2000);
    await this.alarms.close();
    this.archiving.close();
    this.measurements.close();
  }
}

function contentOf(objects: Objects): Content {
  const content = emptyContent();
  for (const family of familyNames) {
    for (const object of objects[family] ?? []) content[family].set(object.name, JSON.stringify(object));
  }
  return content;
}

/** The problem and the words for a client. */
export function problemText(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (error instanceof ProblemError ? `${error.problem}: ${error.message}` : String(error)),
  );
}
