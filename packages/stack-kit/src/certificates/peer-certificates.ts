// The certificates that others present to a connector or provider: one that a person trusts is taken, any other is
// refused and kept for a person to decide.
import type { X509Certificate } from 'node:crypto';
import { type Clock, shortThumbprint } from '@telltale/schema';
import type { StackLog } from '../connector.ts';
import { thumbprintOf, titleOf } from './certificate.ts';
import { maxRejected, type Refusal, readCertificates, storeRejected } from './certificate-files.ts';

export interface PeerCertificatesOptions {
  /** Of the connector or provider. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: StackLog;
}

interface Seen {
  readonly certificate: X509Certificate;
  refusal: Refusal;
  /** The count that is on disk; undefined before the first look there. */
  written: number | undefined;
  /** Ends the pause until it may be written again; undefined where it may be. */
  cancel: (() => void) | undefined;
}

/** A certificate that comes again and again is written no more often. */
const writePeriodMs = 1000;
/** Of certificates that were not seen before: a peer that makes them is not to keep the disk busy. */
const maxNewAPeriod = 10;

export class PeerCertificates {
  readonly #options: PeerCertificatesOptions;
  readonly #seen = new Map<string, Seen>();
  #periodMs = Number.NEGATIVE_INFINITY;
  #newInPeriod = 0;
  #passedOver = 0;
  /** One after the other. */
  #writing: Promise<void> = Promise.resolve();

  constructor(options: PeerCertificatesOptions) {
    this.#options = options;
  }

  /** The thumbprints of those that are trusted now. */
  async trusted(): Promise<ReadonlySet<string>> {
    const trusted = await readCertificates(this.#options.folder, 'trusted');
    return new Set(trusted.map(({ certificate }) => thumbprintOf(certificate)));
  }

  async isTrusted(certificate: X509Certificate): Promise<boolean> {
    return (await this.trusted()).has(thumbprintOf(certificate));
  }

  /** Keeps it for a person to decide. Resolves when it is on disk, or is not to be; never rejects. */
  reject(certificate: X509Certificate, address: string, reason: string): Promise<void> {
    const { clock, log } = this.#options;
    const thumbprint = thumbprintOf(certificate);
    const from = address === '' ? '' : ` of ${address}`;
    log.warn(`refused the certificate ${titleOf(certificate)}${from}, ${reason}: ${toTrust(thumbprint)}`);
    const seen = this.#seen.get(thumbprint) ?? this.#meet(certificate, thumbprint);
    if (seen === undefined) return Promise.resolve();
    const { firstMs, count } = seen.refusal;
    const lastMs = Math.floor(clock.now() / 1000);
    seen.refusal = { address: address || seen.refusal.address, reason, firstMs, lastMs, count: count + 1 };
    if (seen.cancel !== undefined) return Promise.resolve();
    seen.cancel = clock.after(writePeriodMs, () => {
      seen.cancel = undefined;
      if (seen.refusal.count !== seen.written) this.#write(seen);
    });
    return this.#write(seen);
  }

  /** Resolves when nothing is written any more. It may be used again. */
  close(): Promise<void> {
    for (const seen of this.#seen.values()) {
      seen.cancel?.();
      seen.cancel = undefined;
    }
    return this.#writing;
  }

  /** Undefined where too many came before it. */
  #meet(certificate: X509Certificate, thumbprint: string): Seen | undefined {
    const { clock, log } = this.#options;
    if (clock.monotonicMs() - this.#periodMs >= writePeriodMs) {
      if (this.#passedOver > 0) log.warn(`${this.#passedOver} more unknown certificates were refused, and not kept`);
      this.#periodMs = clock.monotonicMs();
      this.#newInPeriod = 0;
      this.#passedOver = 0;
    }
    if (++this.#newInPeriod > maxNewAPeriod) {
      this.#passedOver++;
      return undefined;
    }
    const nowMs = Math.floor(clock.now() / 1000);
    const refusal: Refusal = { address: '', reason: '', firstMs: nowMs, lastMs: nowMs, count: 0 };
    const seen: Seen = { certificate, refusal, written: undefined, cancel: undefined };
    this.#seen.set(thumbprint, seen);
    const [oldest] = this.#seen;
    if (this.#seen.size > maxRejected && oldest !== undefined) {
      oldest[1].cancel?.();
      this.#seen.delete(oldest[0]);
    }
    return seen;
  }

  #write(seen: Seen): Promise<void> {
    const { folder, log } = this.#options;
    const { certificate } = seen;
    this.#writing = this.#writing.then(async () => {
      try {
        if (await this.isTrusted(certificate)) return; // by somebody, meanwhile
        if (seen.written === undefined) await this.#recall(seen);
        const { refusal } = seen;
        await storeRejected(folder, certificate, refusal);
        seen.written = refusal.count;
      } catch (error) {
        log.warn(`the certificate ${titleOf(certificate)} could not be stored: ${(error as Error).message}`);
      }
    });
    return this.#writing;
  }

  /** What was written of it before goes on. */
  async #recall(seen: Seen): Promise<void> {
    const stored = await readCertificates(this.#options.folder, 'rejected');
    const before = stored.find(({ certificate }) => certificate.raw.equals(seen.certificate.raw))?.refusal;
    seen.written = before?.count ?? 0;
    if (before === undefined) return;
    seen.refusal = {
      ...seen.refusal,
      address: seen.refusal.address || before.address,
      firstMs: before.firstMs,
      count: seen.refusal.count + before.count,
    };
  }
}

/** What a person does to trust it. */
export function toTrust(thumbprint: string): string {
  return `to trust it, telltale certificates trust ${shortThumbprint(thumbprint)}`;
}
