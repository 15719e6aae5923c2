// What this node lacks of its own to run what the site has: it is said before this node is needed.
import { type Clock, type Degradation, toTimestamp } from '@telltale/schema';
import type { Logger } from 'pino';
import type { ConfigurationDatabase } from './cfgdb/index.ts';
import type { Role, SecretFiles } from './secrets/index.ts';

export interface SiteLacksOptions {
  readonly cfgdb: Pick<ConfigurationDatabase, 'call'>;
  readonly files: Pick<SecretFiles, 'read'>;
  /** What is out of service needs nothing. */
  readonly isDisabled: (role: Role, name: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const lookMs = 10_000;
/** By name. */
const mostListed = 3;

export class SiteLacks {
  readonly #options: SiteLacksOptions;
  #text: string | undefined;
  #sinceUs = 0;
  #again: (() => void) | undefined;
  #isClosed = false;

  constructor(options: SiteLacksOptions) {
    this.#options = options;
  }

  /** Why this node could not run all of it; undefined where it could. */
  get problem(): string | undefined {
    return this.#text;
  }

  get degraded(): Degradation[] {
    return this.#text === undefined ? [] : [{ since: toTimestamp(this.#sinceUs), text: this.#text }];
  }

  /** Now, and every now and then. */
  async look(): Promise<void> {
    this.#again?.();
    try {
      this.#note(await this.#find());
    } finally {
      const again = () => void this.look().catch((error: Error) => this.#options.log.error(error));
      if (!this.#isClosed) this.#again = this.#options.clock.after(lookMs, again);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#again?.();
  }

  async #find(): Promise<string[]> {
    const { cfgdb, files, isDisabled } = this.#options;
    const needs = (await cfgdb.call('needs')).filter(({ role, name }) => !isDisabled(role, name));
    const stacks = needs.flatMap(({ stack }) => (stack === undefined ? [] : [stack]));
    const sealed = needs.filter(({ isSealed }) => isSealed).map(({ role, name }) => `${role} ${name}`);
    const missing: string[] = [];
    for (const { role, name: owner, files: names } of needs) {
      const option = role === 'provider' ? '--provider ' : '';
      for (const name of names) {
        await files.read(owner, name).catch(() => missing.push(`telltale secret set ${option}${owner} ${name}`));
      }
    }
    const key = 'put the key of the other node into the file of --secret-key-file here as well and restart this node';
    return [
      ...(stacks.length === 0 ? [] : [`it has no stack ${listed([...new Set(stacks)])}: install it here as well`]),
      ...(sealed.length === 0 ? [] : [`it has no key for the secrets of ${listed(sealed)}: ${key}, or set them anew`]),
      ...(missing.length === 0
        ? []
        : [`it lacks secrets in files, which each node has of its own: ${listed(missing)}`]),
    ];
  }

  #note(lacks: readonly string[]): void {
    const { clock, log } = this.#options;
    const text = lacks.length === 0 ? undefined : `This node cannot run all of the site: ${lacks.join('; ')}.`;
    if (text === this.#text) return;
    if (this.#text === undefined) this.#sinceUs = clock.now();
    this.#text = text;
    if (text === undefined) log.info('this node can run all of the site');
    else log.warn(text);
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - mostListed;
  return names.slice(0, mostListed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
