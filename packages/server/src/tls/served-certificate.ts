// The certificate that the service presents: looked at again and again, so that new files count without a restart. Files that
// do not fit together change nothing: what was served before goes on, and people are told.
import type { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import { type Clock, expiryNoticeDays } from '@telltale/schema';
import { type CertificateFacts, factsOf, isInForce } from '@telltale/stack-kit';
import type { Logger } from 'pino';
import { type ReadTls, readTls, type TlsFiles, UnusableTls } from './read-tls.ts';
import { revokedSerials } from './revoked-serials.ts';

export interface ServedCertificateOptions {
  readonly files: TlsFiles;
  readonly clock: Clock;
  readonly log: Logger;
  /** New files count from now on. `isRefused`: certificates of clients that were accepted and are not any more. */
  readonly onChange: (context: SecureContextOptions, isRefused: (certificate: X509Certificate) => boolean) => void;
}

export const lookPeriodMs = 2000;
const dayMs = 86_400_000;

export class ServedCertificate {
  readonly #options: ServedCertificateOptions;
  #read: ReadTls;
  #facts: CertificateFacts;
  /** What the files were that count, and those that were looked at last. */
  #marks: string;
  #seenMarks: string;
  #fault: string | undefined;
  #failures = 0;
  #reloads = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();
  #cancel = () => {};
  #isClosed = false;

  /** Throws `UnusableTls` where the files cannot be used. */
  static async open(options: ServedCertificateOptions): Promise<ServedCertificate> {
    const marks = await marksOf(options.files);
    return new ServedCertificate(options, await readTls(options.files), marks);
  }

  private constructor(options: ServedCertificateOptions, read: ReadTls, marks: string) {
    this.#options = options;
    this.#read = read;
    this.#facts = factsOf(read.certificate);
    this.#marks = marks;
    this.#seenMarks = marks;
  }

  get context(): SecureContextOptions {
    return this.#read.context;
  }

  /** As browsers show it. */
  get fingerprint(): string {
    return this.#read.certificate.fingerprint256;
  }

  get facts(): CertificateFacts {
    return this.#facts;
  }

  /** Files taken since the start, and how often some could not be. */
  get counts(): { readonly reloads: number; readonly failures: number } {
    return { reloads: this.#reloads, failures: this.#failures };
  }

  /** Whether the files that are there now are not those that are served. */
  get isBehind(): boolean {
    return this.#fault !== undefined;
  }

  /** A sentence each. */
  get warnings(): readonly string[] {
    const { clock } = this.#options;
    const expiry = this.#expiryNotice(Math.floor(clock.now() / 1000));
    return [...(this.#fault === undefined ? [] : [this.#faultNotice()]), ...(expiry === undefined ? [] : [expiry])];
  }

  begin(): void {
    this.#noticeExpiry();
    this.#lookLater();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#looking;
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(lookPeriodMs, () => {
      this.#looking = this.#look()
        .catch((error: unknown) => this.#options.log.error(error, 'the files of TLS could not be looked at'))
        .finally(() => this.#lookLater());
    });
  }

  /** Files that do not fit are told when they stay so: somebody may be about to replace the second one. */
  async #look(): Promise<void> {
    this.#noticeExpiry();
    const { files, clock, log } = this.#options;
    const marks = await marksOf(files);
    const isSettled = marks === this.#seenMarks;
    this.#seenMarks = marks;
    if (marks === this.#marks) {
      this.#mended();
      return;
    }
    if (isSettled && this.#fault !== undefined) return;
    try {
      const read = await readTls(files);
      const nowMs = Math.floor(clock.now() / 1000);
      if (!isInForce(read.certificate, nowMs) && isInForce(this.#read.certificate, nowMs)) {
        throw new UnusableTls(`the certificate in ${files.certFile} has expired, or is not valid yet`);
      }
      if ((await marksOf(files)) === marks) this.#take(read, marks);
    } catch (error) {
      if (!(error instanceof UnusableTls)) throw error;
      if (!isSettled) return;
      this.#fault = error.message;
      this.#failures++;
      log.error(this.#faultNotice());
    }
  }

  #take(read: ReadTls, marks: string): void {
    const before = this.#read.context;
    this.#read = read;
    this.#facts = factsOf(read.certificate);
    this.#marks = marks;
    this.#fault = undefined;
    this.#reloads++;
    this.#loggedMs = Number.NEGATIVE_INFINITY;
    this.#options.log.info(`new files of TLS: the certificate ${this.fingerprint} is served from now on`);
    this.#options.onChange(read.context, refusalBy(before, read.context));
    this.#noticeExpiry();
  }

  /** The old files are there again. */
  #mended(): void {
    if (this.#fault === undefined) return;
    this.#fault = undefined;
    this.#options.log.info('the files of TLS are those that are served again');
  }

  #faultNotice(): string {
    return `the new files of TLS are not used, and the old certificate is served on: ${this.#fault}`;
  }

  #expiryNotice(nowMs: number): string | undefined {
    const { validUntilMs } = this.#facts;
    const days = Math.floor((validUntilMs - nowMs) / dayMs);
    if (days >= expiryNoticeDays) return undefined;
    const on = new Date(validUntilMs).toISOString().slice(0, 10);
    const when = validUntilMs < nowMs ? `expired on ${on}` : `expires on ${on}`;
    return `the certificate of the service ${when}: replace ${this.#options.files.certFile} and its key`;
  }

  /** Once a day. */
  #noticeExpiry(): void {
    const { clock, log } = this.#options;
    const nowMs = Math.floor(clock.now() / 1000);
    const notice = this.#expiryNotice(nowMs);
    if (notice === undefined || clock.monotonicMs() - this.#loggedMs < dayMs) return;
    this.#loggedMs = clock.monotonicMs();
    log[this.#facts.validUntilMs < nowMs ? 'error' : 'warn'](notice);
  }
}

/** Differs when a file was written or replaced, also behind a link; stays where one is missing. */
async function marksOf({ certFile, keyFile, clientCaFile, clientCrlFile }: TlsFiles): Promise<string> {
  const files = [certFile, keyFile, clientCaFile, clientCrlFile].filter((file) => file !== undefined);
  const marks = files.map((file) =>
    stat(file, { bigint: true }).then(
      ({ dev, ino, size, mtimeNs }) => `${dev} ${ino} ${size} ${mtimeNs}`,
      () => 'missing',
    ),
  );
  return (await Promise.all(marks)).join();
}

/** Other authorities: they decide anew on all. Another list: those that it names. */
function refusalBy(before: SecureContextOptions, now: SecureContextOptions): (each: X509Certificate) => boolean {
  if (String(before.ca) !== String(now.ca)) return () => true;
  if (String(before.crl) === String(now.crl)) return () => false;
  const revoked = revokedSerials(now.crl as readonly Buffer[] | undefined);
  return revoked === undefined ? () => true : ({ serialNumber }) => revoked.has(BigInt(`0x${serialNumber}`));
}
