// Lets servers onto the bus, and has them out again: invites, signs, and tells the servers of the bus who may connect.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '@telltale/schema';
import { replaceFile } from '@telltale/stack-kit';
import type { Pair } from '../tls/index.ts';
import { BusAuthority } from './authority.ts';
import { type Member, MemberList, NotInvited } from './member-list.ts';

export interface EnrolmentOptions {
  /** Of the centre alone; `authorization.conf` in it is for the servers of the bus. */
  readonly folder: string;
  readonly clock: Clock;
  /** The rights of members, as configuration of the servers. */
  readonly authorizationOf: (members: readonly Member[]) => string;
  /** Has the servers read it again. */
  readonly reload: () => Promise<void>;
  /** The common name for a member's certificate. */
  readonly commonNameOf: (member: Pick<Member, 'role' | 'name' | 'key'>) => string;
}

/** What a server that was invited sends, over TLS. */
export interface EnrolmentRequest {
  readonly invitation: string;
  readonly secret: string;
  /** Of a site, its id. */
  readonly name: string;
  readonly title?: string;
  /** In PEM. */
  readonly publicKey: string;
  /** Of `signedText`, by its key: so it has the key. In base64. */
  readonly proof: string;
}

/** Both in PEM. */
export interface Enrolled {
  readonly certificate: string;
  readonly authority: string;
}

export const authorizationFile = 'authorization.conf';
export const usualValidMs = 3_600_000;
const namePattern = /^[0-9A-Za-z_-]{1,40}$/;

export class Enrolment {
  readonly #options: EnrolmentOptions;
  readonly #authority: BusAuthority;
  readonly #list: MemberList;

  static async open(options: EnrolmentOptions): Promise<Enrolment> {
    const { folder, clock } = options;
    const authority = await BusAuthority.open(folder, clock);
    const enrolment = new Enrolment(options, authority, await MemberList.open(folder, clock));
    await enrolment.#write();
    return enrolment;
  }

  private constructor(options: EnrolmentOptions, authority: BusAuthority, list: MemberList) {
    this.#options = options;
    this.#authority = authority;
    this.#list = list;
  }

  get authority(): string {
    return this.#authority.certificate;
  }

  get members(): readonly Member[] {
    return this.#list.members;
  }

  makeServerPair(hosts: readonly string[]): Pair {
    return this.#authority.makeServerPair(hosts);
  }

  /** Once, within the time. */
  invite(
    invited: Pick<Member, 'role' | 'title' | 'by'>,
    validMs = usualValidMs,
  ): Promise<{ id: string; secret: string }> {
    return this.#list.invite(invited, validMs);
  }

  /** It may connect when it resolves. Rejects with `NotInvited`. */
  async enrol({ invitation, secret, name, title, publicKey, proof }: EnrolmentRequest): Promise<Enrolled> {
    if (!namePattern.test(name)) throw new NotInvited('the name is none: 1 to 40 characters of 0-9, A-Z, a-z, _ and -');
    const key = readKey(publicKey);
    if (key === undefined || !isSigned(key, signedText(invitation, name), proof)) {
      throw new NotInvited('the key is none of P-256, or was not shown to be there');
    }
    const member = await this.#list.join({ id: invitation, secret }, { name, key: thumbprintOf(key), title });
    await this.#write();
    await this.#options.reload();
    return { certificate: this.#authority.sign(this.#options.commonNameOf(member), key), authority: this.authority };
  }

  /** It is cut off when it resolves. False: nobody has the name. */
  async revoke(name: string): Promise<boolean> {
    const count = await this.#list.remove(name);
    await this.#write();
    await this.#options.reload();
    return count > 0;
  }

  async #write(): Promise<void> {
    const { folder, authorizationOf } = this.#options;
    await replaceFile(join(folder, authorizationFile), authorizationOf(this.members));
  }
}

export function signedText(invitation: string, name: string): string {
  return `telltale enrolment ${invitation} ${name}`;
}

function readKey(pem: string): KeyObject | undefined {
  if (pem.length > 1000) return undefined;
  try {
    const key = createPublicKey({ key: pem, format: 'pem', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

function isSigned(key: KeyObject, text: string, proof: string): boolean {
  try {
    return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'der' }, Buffer.from(proof, 'base64'));
  } catch {
    return false;
  }
}

function thumbprintOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}
