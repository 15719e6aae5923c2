// What the nodes of a site have in common, on this node: while it leads, its changes go to etcd before they are acknowledged; while another one
// does, what that one has stored is taken over here.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import type {
  FollowedEntry,
  SharedChange,
  SharedEntry,
  SharedFollower,
  SharedKey,
  SharedState,
} from '../lease/index.ts';
import { AgreedIdentity, type IdentityOptions } from './agreed-identity.ts';
import { AgreedSecret } from './agreed-secret.ts';
import type { OpenedLease } from './open-lease.ts';

/** A JSON text under its family and name; null: there is none any more. */
export interface SiteEntry {
  readonly family: string;
  readonly name: string;
  readonly text: string | null;
}

/** The live state of this node, of the families that are shared. */
export interface LiveParts {
  /** What is stored of it. */
  keys(): Iterable<SharedKey>;
  stored(): Iterable<SiteEntry>;
  /** Whether there is an object of this name to have it. */
  has(key: SharedKey): boolean;
  /** As another node has stored it; at once, and on disk when it resolves. */
  take(entries: readonly SiteEntry[]): Promise<void>;
}

/** One of what is shared as bytes. */
export interface SiteBytes {
  readonly family: string;
  readonly name: string;
  /** Undefined: there is none any more. */
  readonly bytes: Uint8Array | undefined;
}

/** The same, as another node has stored it. */
export interface SiteValue {
  readonly family: string;
  readonly name: string;
  /** Its bytes, soon after it was taken; undefined: there is none any more. */
  readonly read: (() => Promise<Buffer>) | undefined;
}

export interface MovedKey {
  readonly from: SharedKey;
  readonly to: SharedKey;
}

/** The configuration of this node. */
export interface ConfigurationPart {
  readonly families: readonly string[];
  /** All there is, or what has changed. Rejects where it cannot be read. */
  take(values: readonly SiteValue[], isAll: boolean): Promise<void>;
  /** Before this node leads: resolves when what was taken is on disk here. */
  taken(): Promise<void>;
  /** Live state of objects that are not here: under which names they are. */
  renamed(keys: readonly SharedKey[]): Promise<readonly MovedKey[]>;
  /** This node leads: what it has is shared where nobody has shared any, and each change from now on. */
  begin(): Promise<void>;
}

export interface SiteStateOptions {
  readonly lease: OpenedLease;
  readonly site: string;
  readonly parts: LiveParts;
  readonly identity: IdentityOptions;
  readonly configuration: ConfigurationPart;
  readonly clock: Clock;
  readonly log: Logger;
  /** Who leads wants to know whether this node has what was shared so far; it has. */
  readonly onAsked: () => void;
}

/** So many are taken over in a turn of the event loop. */
const entriesOfTurn = 500;
/** For all of it, when the first node of a site begins to lead. */
const beginMs = 120_000;
const begun = { family: 'site', name: 'begun' };
const asked = { family: 'site', name: 'asked' };
/** What is more has as long. */
const largeBytes = 1 << 20;
/** To be up to date when this node begins to lead. */
const upToDateMs = 10_000;

export class SiteState {
  readonly #options: SiteStateOptions;
  readonly #base: string;
  readonly #identity: AgreedIdentity;
  readonly #secret: AgreedSecret;
  #follower: SharedFollower | undefined;
  /** Somebody has led, and what there was then is in etcd. */
  #hasBegun = false;
  /** Under which names etcd has what is live, as long as this node follows. */
  readonly #live = new Map<string, SharedKey>();
  #leading: SharedState | undefined;
  #heard = '';
  readonly #ended = new AbortController();

  constructor(options: SiteStateOptions) {
    this.#options = options;
    const { lease, site } = options;
    this.#identity = new AgreedIdentity(options.identity);
    this.#secret = new AgreedSecret(options.identity.onSecret);
    this.#base = lease.library.siteBase(lease.etcd.setting, site);
  }

  /** Why what is stored here is not in etcd, or what is in etcd is not here; undefined where it is. */
  get problem(): string | undefined {
    return this.#leading?.failure ?? this.#follower?.failure;
  }

  /** What who leads has asked last: whatever was shared before it is here. */
  get heard(): string {
    return this.#heard;
  }

  /** While this node leads: another one that hears it has all that was shared before. Rejects where etcd does not take it. */
  async ask(id: string): Promise<void> {
    await this.#leading?.change([{ ...asked, bytes: Buffer.from(id) }]);
  }

  /** How many changes etcd has not acknowledged. */
  get pending(): number {
    return this.#leading?.pending ?? 0;
  }

  /** Another node leads, or may: what it stores is taken over from now on. */
  async follow(): Promise<void> {
    await this.#leading?.close();
    this.#leading = undefined;
    if (this.#follower !== undefined || this.#ended.signal.aborted) return;
    const { lease, clock } = this.#options;
    this.#follower = new lease.library.SharedFollower({
      etcd: lease.etcd,
      clock,
      base: this.#base,
      onState: (entries) => this.#takeAll(entries),
      onChanges: (entries) => this.#takeChanged(entries),
    });
    this.#follower.start();
  }

  /** This node leads: resolves when it has all that was acknowledged before. Rejects where etcd does not answer in time. */
  async lead(epoch: number): Promise<void> {
    const { lease, clock } = this.#options;
    const follower = this.#follower;
    if (follower === undefined) throw new Error('it does not follow');
    const { signal } = this.#ended;
    await follower.upToDate(AbortSignal.any([signal, AbortSignal.timeout(upToDateMs)]));
    await this.#options.configuration.taken();
    await follower.stop();
    signal.throwIfAborted();
    this.#follower = undefined;
    const { library, etcd } = lease;
    this.#leading = new library.SharedState({ etcd, clock, base: this.#base, epoch, large: follower.large });
    try {
      await this.#options.configuration.begin();
      await this.#begin(this.#leading);
      await this.#identity.bring(this.#leading);
      await this.#secret.bring(this.#leading);
    } catch (error) {
      await this.follow();
      throw error;
    }
  }

  /** While this node leads: resolves when etcd has it. Rejects with `ProblemError`. Undefined while it does not. */
  share(entries: readonly SiteEntry[]): Promise<void> | undefined {
    return this.#share(entries.map(changeOf));
  }

  /** The same for what may be large; all of it or nothing. */
  shareBytes(entries: readonly SiteBytes[]): Promise<void> | undefined {
    const length = entries.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
    return this.#share(entries, length > largeBytes ? beginMs : undefined);
  }

  #share(changes: readonly SharedChange[], limitMs?: number): Promise<void> | undefined {
    return this.#leading?.change(changes, limitMs).catch((error: Error) => {
      const { LeaseLost } = this.#options.lease.library;
      if (error instanceof LeaseLost) throw new ProblemError('not-leading', `${error.message}.`);
      throw new ProblemError('storage-failed', `${error.message}. The other nodes of the site may not have it.`);
    });
  }

  /** Whatever waits for etcd rejects at once. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#follower?.stop();
    await this.#leading?.close();
  }

  /** Where nobody has led yet, what is here is what there is; else all but names that whoever led before could not share any more. */
  async #begin(leading: SharedState): Promise<void> {
    if (this.#hasBegun) return this.#moveRenamed(leading);
    await leading.change(Array.from(this.#options.parts.stored(), changeOf), beginMs);
    await leading.change([{ ...begun, bytes: Buffer.of() }]);
    this.#hasBegun = true;
  }

  async #moveRenamed(leading: SharedState): Promise<void> {
    const moved = await this.#renamed([...this.#live.values()]);
    if (moved.length === 0) return;
    const lacking = new Set(moved.map(({ to }) => keyOf(to)).filter((key) => !this.#live.has(key)));
    const stored = Array.from(this.#options.parts.stored()).filter((entry) => lacking.has(keyOf(entry)));
    const gone = moved.map(({ from }) => ({ ...from, text: null }));
    await leading.change([...stored, ...gone].map(changeOf), beginMs);
  }

  /** Those that are of objects that have another name here. */
  async #renamed(keys: readonly SharedKey[]): Promise<readonly MovedKey[]> {
    const { parts, configuration } = this.#options;
    const unknown = keys.filter((key) => !parts.has(key));
    return unknown.length === 0 ? [] : configuration.renamed(unknown);
  }

  /** All there is: what is here beside it is gone, once anybody has led. */
  async #takeAll(entries: readonly SharedEntry[]): Promise<void> {
    const there = new Set(entries.map(keyOf));
    this.#hasBegun = there.has(keyOf(begun));
    await this.#options.configuration.take(this.#hasBegun ? this.#valuesOf(entries) : [], true);
    this.#live.clear();
    if (!this.#hasBegun) return;
    const gone = Array.from(this.#options.parts.keys()).filter((each) => !there.has(keyOf(each)));
    await this.#inTurns(gone.map(({ family, name }) => ({ family, name, text: null })));
    await this.#takeLive(entries);
  }

  /** Objects before what is live of them. */
  async #takeChanged(entries: readonly FollowedEntry[]): Promise<void> {
    this.#hasBegun ||= entries.some((entry) => keyOf(entry) === keyOf(begun));
    const values = this.#valuesOf(entries);
    if (values.length > 0) await this.#options.configuration.take(values, false);
    await this.#takeLive(entries);
  }

  #valuesOf(entries: readonly FollowedEntry[]): SiteValue[] {
    const follower = this.#follower;
    return entries.filter(this.#isConfiguration).map(({ family, name, value, revision }) => {
      const read = value && (async () => (follower as SharedFollower).read({ family, name, value, revision }));
      return { family, name, read };
    });
  }

  readonly #isConfiguration = ({ family }: { readonly family: string }) =>
    this.#options.configuration.families.includes(family);

  async #takeLive(entries: readonly FollowedEntry[]): Promise<void> {
    const taken: SiteEntry[] = [];
    for (const entry of entries) {
      if (this.#isConfiguration(entry)) continue;
      const { family, name, value } = entry;
      const bytes = value === undefined ? undefined : await this.#follower?.read(entry as SharedEntry);
      const stored = { family, name, text: bytes?.toString() ?? null };
      this.#learn(stored);
      taken.push(stored);
      if (stored.text === null) this.#live.delete(keyOf(stored));
      else this.#live.set(keyOf(stored), { family, name });
    }
    await this.#inTurns(await this.#underPresentNames(taken));
    const heard = taken.findLast((entry) => keyOf(entry) === keyOf(asked))?.text ?? this.#heard;
    if (heard === this.#heard) return;
    this.#heard = heard;
    this.#options.onAsked();
  }

  /** What an object had under the name before counts where who led could not share it under the present one any more. */
  async #underPresentNames(taken: readonly SiteEntry[]): Promise<SiteEntry[]> {
    const moved = await this.#renamed(taken.filter(({ text }) => text !== null));
    const present = new Map(moved.map(({ from, to }) => [keyOf(from), to]));
    return taken.flatMap((entry) => {
      const to = present.get(keyOf(entry));
      if (to === undefined) return [entry];
      return this.#live.has(keyOf(to)) ? [] : [{ ...to, text: entry.text }];
    });
  }

  #learn(stored: SiteEntry): void {
    try {
      this.#identity.take(stored);
      this.#secret.take(stored);
    } catch (error) {
      this.#options.log.error(`nothing goes to a store, a bus or other nodes from here: ${(error as Error).message}`);
    }
  }

  async #inTurns(entries: readonly SiteEntry[]): Promise<void> {
    for (let at = 0; at < entries.length; at += entriesOfTurn) {
      await this.#options.parts
        .take(entries.slice(at, at + entriesOfTurn))
        .catch((error: Error) =>
          this.#options.log.error(error, 'what another node has stored could not be stored here'),
        );
      await nextTurn();
    }
  }
}

function changeOf({ family, name, text }: SiteEntry) {
  return { family, name, bytes: text === null ? undefined : Buffer.from(text) };
}

function keyOf({ family, name }: { readonly family: string; readonly name: string }): string {
  return `${family} ${name}`;
}
