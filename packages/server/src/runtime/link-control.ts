// Restarts connectors and providers, and takes them out of service: on disk first, then in effect. They stay so over
// restarts and renderings until they are enabled, or are not configured any more.
import { type Clock, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import {
  type DisabledLink,
  type DisabledLinkStore,
  disabledText,
  type Measurements,
  PointPersistence,
  type StoredDisabledLink,
} from '../points/index.ts';
import type { Role, StackHost } from '../stacks/index.ts';

export interface LinkControlOptions {
  readonly clock: Clock;
  readonly store: DisabledLinkStore;
  readonly host: Pick<StackHost, 'has' | 'restart' | 'confirm' | 'setDisabled' | 'ended'>;
  readonly measurements: Pick<Measurements, 'setDisabled'>;
  readonly log: Logger;
}

export class LinkControl {
  readonly #options: LinkControlOptions;
  /** By role and name. */
  readonly #disabled = new Map<string, StoredDisabledLink>();
  readonly #persistence: PointPersistence<StoredDisabledLink>;

  constructor(options: LinkControlOptions) {
    const { store, clock } = options;
    this.#options = options;
    this.#persistence = new PointPersistence(
      { save: (stored) => store.saveDisabledLink(stored), delete: (key) => store.deleteDisabledLink(key) },
      clock,
      (key) => this.#disabled.get(key),
    );
  }

  /** Those of before the start; before the first rendering. */
  restore(stored: Iterable<StoredDisabledLink>): void {
    for (const link of stored) {
      const [role, name] = partsOf(link.name);
      this.#disabled.set(link.name, link);
      this.#options.log.info({ [role]: name }, `${disabledText(role, name, link)} It stays so until it is enabled.`);
    }
  }

  stored(): Iterable<StoredDisabledLink> {
    return this.#disabled.values();
  }

  /** It was disabled or enabled at another node of the site: nothing is stored. */
  storedElsewhere(key: string, stored: StoredDisabledLink | undefined): void {
    const { host, measurements, clock } = this.#options;
    const [role, name] = partsOf(key);
    if (stored === undefined ? !this.#disabled.delete(key) : this.#disabled.get(key)?.timeUs === stored.timeUs) return;
    if (stored !== undefined) this.#disabled.set(key, stored);
    if (!host.has(role, name)) return;
    measurements.setDisabled(role, name, stored !== undefined, clock.now());
    host.setDisabled(role, name, stored);
  }

  find(role: Role, name: string): DisabledLink | undefined {
    return this.#disabled.get(keyOf(role, name));
  }

  /** Resolves when it is on disk and nothing of it runs any more. Where it is disabled already, who, when and why stay. */
  async disable(role: Role, name: string, by: string, reason: string | undefined): Promise<void> {
    const { host, measurements, clock } = this.#options;
    const key = keyOf(role, name);
    await this.#persistence.operate(key, async () => {
      this.#mustRun(role, name);
      const known = this.#disabled.get(key);
      if (known !== undefined && !this.#persistence.isUnsaved(key)) return;
      const disabled = known ?? { name: key, by, timeUs: clock.now(), ...(reason !== undefined && { reason }) };
      await this.#persistence.save(disabled);
      if (!host.has(role, name)) this.#persistence.changed(key);
      this.#mustRun(role, name);
      this.#disabled.set(key, disabled);
      measurements.setDisabled(role, name, true, clock.now());
      host.setDisabled(role, name, disabled);
    });
    await host.ended(role, name);
  }

  /** Resolves when it is on disk; it connects, as at a start. One that is not disabled is left as it is. */
  async enable(role: Role, name: string): Promise<void> {
    const { host, measurements, clock } = this.#options;
    const key = keyOf(role, name);
    await this.#persistence.operate(key, async () => {
      this.#mustRun(role, name);
      if (!this.#disabled.has(key) && !this.#persistence.isUnsaved(key)) return;
      await this.#persistence.delete(key);
      if (!this.#disabled.delete(key)) return; // it is not configured any more
      measurements.setDisabled(role, name, false, clock.now());
      host.setDisabled(role, name, undefined);
    });
  }

  /** Resolves when its thread has ended the link, or has not answered for a second. */
  async restart(role: Role, name: string): Promise<void> {
    const { host } = this.#options;
    await this.#persistence.operate(keyOf(role, name), async () => {
      this.#mustRun(role, name);
      const disabled = this.find(role, name);
      if (disabled === undefined) return host.restart(role, name);
      throw new ProblemError('link-disabled', `${disabledText(role, name, disabled)} Enable it to let it connect.`);
    });
    await host.confirm([{ role, name }]);
  }

  /** It is not configured any more: should it come back, it is in service. */
  forget(role: Role, name: string): void {
    const key = keyOf(role, name);
    if (this.#disabled.delete(key)) this.#persistence.changed(key);
  }

  /** After the first rendering runs: what it does not have is forgotten. */
  deleteOrphans(): void {
    for (const key of [...this.#disabled.keys()]) {
      const [role, name] = partsOf(key);
      if (!this.#options.host.has(role, name)) this.forget(role, name);
    }
  }

  close(): void {
    this.#persistence.close();
  }

  #mustRun(role: Role, name: string): void {
    if (this.#options.host.has(role, name)) return;
    throw new ProblemError('unknown-object', `There is no ${role} ${JSON.stringify(name.slice(0, 80))} that runs.`);
  }
}

/** A role has no space in it. */
function keyOf(role: Role, name: string): string {
  return `${role} ${name}`;
}

function partsOf(key: string): [Role, string] {
  return key.split(' ') as [Role, string];
}
