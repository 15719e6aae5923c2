// The certificates of clients that are known here, and what whoever presents one may do.
import { type ClientCertificate, type ClientCertificateBody, ProblemError } from '@telltale/schema';
import type { StoredEntry } from './access-store.ts';
import { type Change, Collection } from './collection.ts';

export class ClientCertificates {
  readonly #certificates = new Collection<ClientCertificateBody>('certificate', 'certificate');

  load(entries: readonly StoredEntry[]): void {
    this.#certificates.load(entries);
  }

  list(): ClientCertificate[] {
    return this.#certificates.all().map(([name, certificate]) => ({ name, ...certificate }));
  }

  /** Throws where there is none, and in the same words where it is not one of those that the caller sees. */
  known(name: string, isSeen: (certificate: ClientCertificateBody) => boolean): ClientCertificate {
    return { name, ...this.#certificates.known(name, isSeen) };
  }

  get(name: string): ClientCertificateBody | undefined {
    return this.#certificates.get(name);
  }

  /** The one that a client has presented, by its fingerprint in lower-case hexadecimal, or its subject. */
  find(fingerprint: string, subject: string): ClientCertificate | undefined {
    const all = this.list();
    return all.find((each) => each.fingerprint === fingerprint) ?? all.find((each) => each.subject === subject);
  }

  change(name: string, body: ClientCertificateBody | null): Change {
    if (body === null) return this.#certificates.change(name, null);
    if ((body.fingerprint === undefined) === (body.subject === undefined)) {
      throw new ProblemError('invalid-body', 'A certificate is known by its fingerprint or by its subject: give one.');
    }
    const fingerprint = body.fingerprint?.replaceAll(':', '').toLowerCase();
    const isSame = (each: ClientCertificate) =>
      fingerprint === undefined ? each.subject === body.subject : each.fingerprint === fingerprint;
    if (this.list().some((each) => each.name !== name && isSame(each))) {
      throw new ProblemError('invalid-body', 'Another certificate has this fingerprint or subject: it is that one.');
    }
    return this.#certificates.change(name, { ...body, ...(fingerprint && { fingerprint }) });
  }
}
