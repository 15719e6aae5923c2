// The configuration that the nodes of a site have in common, at this one: what another node acknowledges is taken over, change by change,
// or whole where this node has something else; what this one acknowledges is shared first.
import { type Clock, type Degradation, ProblemError, parseJson, toTimestamp } from '@telltale/schema';
import type { Logger } from 'pino';
import {
  type Adopted,
  type ConfigurationDatabase,
  type SiteBytes,
  type SiteHead,
  siteFamilies,
} from './cfgdb/index.ts';
import type { SiteLacks } from './site-lacks.ts';
import type { ConfigurationPart, MovedKey, SharedKey, SiteNode, SiteValue } from './standby/index.ts';
import { storedAs } from './state/index.ts';

export interface SharedConfigurationOptions {
  readonly cfgdb: Pick<ConfigurationDatabase, 'call' | 'adoptWhole' | 'figures'>;
  readonly node: Pick<SiteNode, 'shareBytes' | 'refusal'>;
  /** What this node lacks to run it: to be looked at anew. */
  readonly lacks: Pick<SiteLacks, 'look'>;
  readonly clock: Clock;
  readonly log: Logger;
}

type Read = () => Promise<Buffer>;

const pointFamilies = ['measurements', 'commands', 'alarms'] as const;
const retryMs = 1000;
const resealMs = 60_000;

export class SharedConfiguration implements ConfigurationPart {
  readonly families = siteFamilies;
  readonly #options: SharedConfigurationOptions;
  /** What another node has stored, by family and name. */
  readonly #there = new Map<string, Read>();
  /** Up to which change this node has it; undefined: it has something else. */
  #number: number | undefined;
  /** Of the newest change that is known here. */
  #head: SiteHead | undefined;
  #running: Promise<void> = Promise.resolve();
  #retry: (() => void) | undefined;
  #resealing: (() => void) | undefined;
  #isClosed = false;
  #fault: { readonly sinceUs: number; readonly text: string; readonly isStored: boolean } | undefined;

  constructor(options: SharedConfigurationOptions) {
    this.#options = options;
  }

  /** That this node would go on with something else than what was acknowledged. */
  get degraded(): Degradation[] {
    if (this.#fault === undefined) return [];
    const { sinceUs, text } = this.#fault;
    return [{ since: toTimestamp(sinceUs), text: `The configuration of the site: ${text}.` }];
  }

  /** As `ConfigurationDatabaseOptions` has it. */
  share(entries: readonly SiteBytes[]): Promise<void> | undefined {
    const { node } = this.#options;
    return node.shareBytes(entries)?.catch((error: unknown) => {
      this.#settleSoon();
      if (!(error instanceof ProblemError)) throw error;
      throw new ProblemError(error.problem, `${error.message} Nothing was changed here.`);
    });
  }

  async take(values: readonly SiteValue[], isAll: boolean): Promise<void> {
    if (isAll) {
      this.#there.clear();
      [this.#head, this.#number] = [undefined, undefined];
    }
    for (const { family, name, read } of values) {
      if (read === undefined) this.#there.delete(keyOf(family, name));
      else this.#there.set(keyOf(family, name), read);
    }
    const head = await this.#there.get(keyOf('configuration', 'head'))?.();
    if (head !== undefined) this.#head = readHead(head);
    await this.#catchUp();
  }

  async taken(): Promise<void> {
    await this.#catchUp();
    if (this.#fault?.isStored === false) throw new Error(`the configuration: ${this.#fault.text}`);
    if (this.#fault !== undefined) this.#judge(await this.#options.cfgdb.call('proposeAgain'));
  }

  async renamed(keys: readonly SharedKey[]): Promise<MovedKey[]> {
    const asked = keys.flatMap(({ family: stored, name }) => {
      const family = pointFamilies.find((each) => storedAs[each] === stored);
      return family === undefined ? [] : [{ family, name }];
    });
    if (asked.length === 0) return [];
    const renames = await this.#options.cfgdb.call('laterNames', asked);
    return renames.map(({ family, from, to }) => {
      const stored = storedAs[family];
      return { from: { family: stored, name: from }, to: { family: stored, name: to } };
    });
  }

  async begin(): Promise<void> {
    await this.#options.cfgdb.call('beginSharing', this.#head);
    void this.#reseal();
  }

  close(): void {
    this.#isClosed = true;
    this.#retry?.();
    this.#resealing?.();
  }

  /** Where another key is to be used than before, which nobody waits for. */
  async #reseal(): Promise<void> {
    const { cfgdb, node, clock, log, lacks } = this.#options;
    this.#resealing?.();
    try {
      await cfgdb.call('reseal');
      await lacks.look();
    } catch (error) {
      log.warn(`secrets of the site could not be sealed with the key of this node: ${(error as Error).message}`);
      if (this.#isClosed) return;
      this.#resealing = clock.after(resealMs, () => void (node.refusal === undefined && this.#reseal()));
    }
  }

  /** One after the other. Where it fails, that is said, and tried again. */
  #catchUp(): Promise<void> {
    this.#retry?.();
    this.#retry = undefined;
    this.#running = this.#running
      .then(() => this.#adopt())
      .then(() => this.#options.lacks.look())
      .catch((error: Error) => {
        this.#note(`what was acknowledged cannot be taken over: ${error.message.replace(/\.$/, '')}`, false);
        if (!this.#isClosed) this.#retry = this.#options.clock.after(retryMs, () => void this.#catchUp());
      });
    return this.#running;
  }

  async #adopt(): Promise<void> {
    const { cfgdb } = this.#options;
    const head = this.#head;
    if (head === undefined) return;
    let digest = await cfgdb.call('digest');
    for (let isWhole = false; digest !== head.digest; ) {
      const next = this.#number === undefined ? undefined : this.#read('configuration-changes', this.#number + 1);
      const changed = next && (await cfgdb.call('adoptChange', await next()));
      const before = digest;
      if (changed !== undefined) this.#judge(changed);
      digest = changed?.digest ?? digest;
      if (digest !== before) this.#number = (this.#number as number) + 1;
      else if (isWhole) throw new Error('what etcd has of it does not fit together');
      else {
        isWhole = true;
        digest = await this.#adoptWhole(head.whole);
      }
    }
    this.#number = head.number;
    if (this.#fault?.isStored === false) this.#fault = undefined;
  }

  async #adoptWhole(number: number): Promise<string> {
    const { cfgdb, log } = this.#options;
    const whole = await this.#read('configuration', 'whole')?.();
    if (whole === undefined) throw new Error('etcd has changes of it alone');
    const head = Buffer.copyBytesFrom(whole, 0, whole.indexOf('\n') + 1);
    for (const id of await cfgdb.call('lackingRevisions', head)) {
      const revision = await this.#read('revisions', id)?.();
      if (revision !== undefined) await cfgdb.call('takeRevision', revision);
    }
    const adopted = await cfgdb.adoptWhole(whole);
    this.#number = number;
    this.#judge(adopted);
    const revision = cfgdb.figures?.running ?? 0;
    log.warn(
      `the configuration here was another one than that of the site, which has taken its place: revision ${revision}`,
    );
    return adopted.digest;
  }

  #read(family: string, name: string | number): Read | undefined {
    return this.#there.get(keyOf(family, String(name)));
  }

  /** Whether what is rendered runs here. */
  #judge(adopted: Adopted): void {
    if (!('fault' in adopted)) return;
    if (adopted.fault === undefined) this.#fault = undefined;
    else this.#note(`what is rendered cannot run at this node: ${adopted.fault.replace(/\.$/, '')}`, true);
  }

  #note(text: string, isStored: boolean): void {
    const { clock, log } = this.#options;
    if (this.#fault?.text !== text) log.error(`the configuration of the site: ${text}`);
    this.#fault = { sinceUs: this.#fault?.sinceUs ?? clock.now(), text, isStored };
  }

  /** Whether etcd has what was refused is unknown: it gets what is here, as long as this node leads. */
  #settleSoon(): void {
    const { clock, cfgdb, node } = this.#options;
    this.#retry?.();
    if (this.#isClosed) return;
    this.#retry = clock.after(retryMs, () => {
      if (node.refusal === undefined) cfgdb.call('settleSharing').catch(() => undefined);
      else this.#settleSoon();
    });
  }
}

function readHead(bytes: Buffer): SiteHead {
  const head = parseJson(bytes.toString()) as Partial<SiteHead> | null;
  const areNumbers = [head?.number, head?.whole, head?.bytes].every(Number.isSafeInteger);
  if (areNumbers && typeof head?.digest === 'string') return head as SiteHead;
  throw new Error('what etcd has of the configuration is none of this version');
}

function keyOf(family: string, name: string): string {
  return `${family} ${name}`;
}
