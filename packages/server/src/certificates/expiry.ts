// Which certificates expire soon, or have expired, in words for people; and when to log it: once a day each.
import { type Certificate, type Clock, expiryNoticeDays, shortThumbprint } from '@telltale/schema';
import type { Logger } from 'pino';

const dayMs = 86_400_000;
/** A file with more is a bundle of well-known authorities, some of which are always old. */
const maxAuthorities = 10;

export class ExpiryNotices {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** The monotonic time of the last line, by certificate and owner. */
  readonly #loggedMs = new Map<string, number>();
  #texts: readonly string[] = [];

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A sentence each, those that have expired first. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  update(certificates: readonly Certificate[]): void {
    const authorities = authoritiesByFile(certificates);
    const ending = certificates
      .filter((each) => each['days-left'] < expiryNoticeDays && isOfUse(each, authorities))
      .toSorted((one, other) => one['days-left'] - other['days-left']);
    const nowMs = this.#clock.monotonicMs();
    const keys = new Set<string>();
    for (const each of ending) {
      const key = `${each.role} ${each.name} ${each.use} ${each.thumbprint}`;
      if (keys.has(key)) continue;
      keys.add(key);
      const loggedMs = this.#loggedMs.get(key);
      if (loggedMs !== undefined && nowMs - loggedMs < dayMs) continue;
      this.#loggedMs.set(key, nowMs);
      this.#log[each['days-left'] < 0 ? 'error' : 'warn']({ [each.role]: each.name }, noticeOf(each));
    }
    for (const key of this.#loggedMs.keys()) if (!keys.has(key)) this.#loggedMs.delete(key);
    this.#texts = ending.map((each) => `${each.role} ${each.name}: ${noticeOf(each)}`);
  }
}

/** What nobody trusts may expire as it likes. */
function isOfUse({ state, use, file }: Certificate, authorities: ReadonlyMap<string, number>): boolean {
  if (state === 'rejected') return false;
  return use !== 'authority' || (authorities.get(file) ?? 0) <= maxAuthorities;
}

/** How many each file has. */
function authoritiesByFile(certificates: readonly Certificate[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { use, file } of certificates) if (use === 'authority') counts.set(file, (counts.get(file) ?? 0) + 1);
  return counts;
}

function noticeOf(certificate: Certificate): string {
  const { use, subject, thumbprint, 'valid-until': until, 'days-left': days, file } = certificate;
  const on = new Date(until[0] * 1000).toISOString().slice(0, 10);
  const when =
    days < 0 ? `expired on ${on}` : days === 0 ? `expires within a day, on ${on}` : `expires in ${days} days, on ${on}`;
  const shown = shortThumbprint(thumbprint);
  const remedy =
    use === 'application' && certificate['self-signed']
      ? `telltale certificates renew ${shown}`
      : use === 'peer'
        ? 'its owner has to renew it, and telltale certificates to trust the new one'
        : `replace ${file}`;
  return `the certificate ${shown} (${titles[use]}, ${subject}) ${when}: ${remedy}`;
}

const titles: Readonly<Record<Certificate['use'], string>> = {
  application: 'its own',
  client: 'its own',
  user: 'of its user',
  peer: 'of a peer',
  authority: 'of an authority',
};
