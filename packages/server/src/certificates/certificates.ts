// The one place that knows the certificates of all connectors and providers: which there are, whom a person trusts, and
// which expire. The files in their folders are the truth; the stacks read and write them in their threads.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { areaIn, type Certificate, type CertificateState, type Clock, ProblemError } from '@telltale/schema';
import { deleteCertificate, moveCertificate } from '@telltale/stack-kit';
import type { Logger } from 'pino';
import type { StackCatalogue, StackHost } from '../stacks/index.ts';
import { ExpiryNotices } from './expiry.ts';
import { certificatesOf, folderOf, type Owner } from './scan.ts';

export type CertificateOwners = Pick<StackHost, 'instances' | 'restart' | 'confirm'>;

export interface CertificatesOptions {
  /** The data folder. */
  readonly folder: string;
  readonly host: CertificateOwners;
  readonly stacks: StackCatalogue;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What is done is on disk at once; what appears by itself is seen within this. */
const scanPeriodMs = 60_000;

interface Found {
  readonly owner: Owner;
  readonly certificate: Certificate;
}

/** Whether a connector or provider is meant, by its name and area; of others nothing is listed, and nothing is done. */
export type IsMeant = (name: string, area: string) => boolean;
const all: IsMeant = () => true;

interface Operated {
  readonly thumbprint: string;
  readonly of: string | undefined;
  readonly isMeant: IsMeant;
}

export class Certificates {
  readonly #options: CertificatesOptions;
  readonly #notices: ExpiryNotices;
  #known: readonly Certificate[] = [];
  #scanning: Promise<Found[]> = Promise.resolve([]);
  #next: Promise<Found[]> | undefined;
  /** One after the other. */
  #operation: Promise<unknown> = Promise.resolve();
  #cancel = () => {};
  #isClosed = false;

  constructor(options: CertificatesOptions) {
    this.#options = options;
    this.#notices = new ExpiryNotices(options.clock, options.log);
  }

  /** Looks from now on, again and again. */
  begin(): void {
    this.#look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#operation;
    await (this.#next ?? this.#scanning);
  }

  /** As they were seen last, at most a minute ago. */
  get known(): readonly Certificate[] {
    return this.#known;
  }

  /** What expires within 30 days, or has expired: a sentence each, the gravest first. */
  get warnings(): readonly string[] {
    return this.#notices.texts;
  }

  /** As they are now, of those that are meant. */
  async list(state?: CertificateState, isMeant: IsMeant = all): Promise<Certificate[]> {
    const found = (await this.#scan()).filter(meant(isMeant)).map(({ certificate }) => certificate);
    return state === undefined ? found : found.filter((each) => each.state === state);
  }

  /** Who is down for the want of it tries again at once. */
  trust(thumbprint: string, of?: string, isMeant: IsMeant = all): Promise<void> {
    return this.#operate({ thumbprint, of, isMeant }, 'peer', async ({ owner, certificate }) => {
      if (certificate.state === 'trusted') return;
      await moveCertificate(this.#folderOf(owner), certificate.thumbprint, 'trusted');
      if (!owner.isUp) this.#restart(owner, 'a certificate was trusted');
    });
  }

  /** Whoever may rest on it starts again. */
  reject(thumbprint: string, of?: string, isMeant: IsMeant = all): Promise<void> {
    return this.#operate({ thumbprint, of, isMeant }, 'peer', async ({ owner, certificate }) => {
      if (certificate.state === 'rejected') return;
      await moveCertificate(this.#folderOf(owner), certificate.thumbprint, 'rejected');
      this.#restart(owner, 'the trust in a certificate was taken back');
    });
  }

  delete(thumbprint: string, of?: string, isMeant: IsMeant = all): Promise<void> {
    return this.#operate({ thumbprint, of, isMeant }, 'stored', async ({ owner, certificate }) => {
      const folder = this.#folderOf(owner);
      if (certificate.state === 'issuer') {
        await deleteCertificate(folder, certificate.thumbprint, 'issuers');
        this.#restart(owner, 'the certificate of an authority was deleted');
        return;
      }
      if (certificate.state === 'trusted') {
        throw new ProblemError('wrong-certificate', `The certificate ${thumbprint} is trusted: reject it first.`);
      }
      await deleteCertificate(folder, certificate.thumbprint, 'rejected');
    });
  }

  /** The stack makes a new one when it starts and finds its key alone. The old file stays beside it. */
  renew(thumbprint: string, of?: string, isMeant: IsMeant = all): Promise<void> {
    return this.#operate({ thumbprint, of, isMeant }, 'application', async ({ owner, certificate }) => {
      if (!certificate['self-signed']) {
        const { file, issuer } = certificate;
        throw new ProblemError('wrong-certificate', `${file} is signed by ${issuer}: replace the file by a newer one.`);
      }
      const own = join(this.#folderOf(owner), 'own');
      await rename(join(own, 'certificate.pem'), join(own, 'certificate-before.pem'));
      this.#restart(owner, 'its certificate is renewed');
    });
  }

  async #operate(
    { thumbprint, of, isMeant }: Operated,
    use: Operable,
    work: (found: Found) => Promise<void>,
  ): Promise<void> {
    const wanted = thumbprint.toLowerCase();
    const run = async () => {
      const fitting = (await this.#scan())
        .filter(meant(isMeant))
        .filter(
          ({ certificate: each }) =>
            (each.thumbprint === wanted || each.sha1 === wanted) &&
            (of === undefined || of === `${each.role}/${each.name}`),
        );
      const found = fitting.filter(({ certificate }) => isOperable(certificate, use));
      if (found.length === 0) throw notFound(thumbprint, of, use, fitting.length > 0);
      try {
        for (const each of found) await work(each);
      } catch (error) {
        if (error instanceof ProblemError) throw error;
        throw new ProblemError('storage-failed', `The certificate could not be moved: ${(error as Error).message}.`);
      }
      await this.#options.host.confirm(found.map(({ owner: { role, instance } }) => ({ role, name: instance.name })));
      await this.#scan();
    };
    const running = this.#operation.then(run);
    this.#operation = running.catch(() => undefined);
    await running;
  }

  #folderOf(owner: Owner): string {
    return folderOf(this.#options.folder, owner);
  }

  #restart({ role, instance }: Owner, reason: string): void {
    this.#options.host.restart(role, instance.name, reason);
  }

  #look(): void {
    const { clock, log } = this.#options;
    this.#scan()
      .catch((error: unknown) => log.error(error, 'the certificates could not be read'))
      .finally(() => {
        if (!this.#isClosed) this.#cancel = clock.after(scanPeriodMs, () => this.#look());
      });
  }

  /** One at a time: those who ask meanwhile share the next. */
  #scan(): Promise<Found[]> {
    this.#next ??= this.#scanning
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#scanning = this.#scanAll();
        return this.#scanning;
      });
    return this.#next;
  }

  async #scanAll(): Promise<Found[]> {
    const { folder, host, stacks, clock } = this.#options;
    const found: Found[] = [];
    for (const { role, instance, isUp } of host.instances()) {
      const parameters = stacks[role].get(instance.stackName)?.description.parameters ?? {};
      const owner = { role, instance, isUp, parameters };
      const nowMs = Math.floor(clock.now() / 1000);
      for (const certificate of await certificatesOf(folder, owner, nowMs)) found.push({ owner, certificate });
    }
    this.#known = found.map(({ certificate }) => certificate);
    this.#notices.update(this.#known);
    return found;
  }
}

function meant(isMeant: IsMeant): (found: Found) => boolean {
  return ({ owner: { instance } }) => isMeant(instance.name, areaIn(instance.properties));
}

/** What a peer has presented; what others than the service have stored; or what the service has made. */
type Operable = 'peer' | 'stored' | 'application';

function isOperable({ use, state }: Certificate, wanted: Operable): boolean {
  return wanted === 'stored' ? use === 'peer' || state === 'issuer' : use === wanted;
}

function notFound(thumbprint: string, of: string | undefined, use: Operable, isOther: boolean): ProblemError {
  const text = JSON.stringify(thumbprint.slice(0, 80));
  const what = use === 'application' ? 'an own one that the service has made' : 'one that a peer has presented';
  if (isOther) return new ProblemError('wrong-certificate', `The certificate ${text} is not ${what}.`);
  const where = of === undefined ? '' : ` of ${of}`;
  return new ProblemError(
    'unknown-object',
    `There is no certificate ${text}${where}: telltale certificates lists them.`,
  );
}
