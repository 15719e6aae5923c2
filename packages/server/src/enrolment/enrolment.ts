// Lets servers onto the bus, and has them out again: invites, signs, and tells the servers of the bus who may connect.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { join } from 'node:path';
import type { BusEnrolmentRequest, Clock } from '@telltale/schema';
import { replaceFile } from '@telltale/stack-kit';
import type { Pair } from '../tls/index.ts';
import { BusAuthority } from './authority.ts';
import { type Given, type Invitation, type Member, MemberList, NotInvited } from './member-list.ts';

export interface EnrolmentOptions {
  /** Of the centre alone. */
  readonly folder: string;
  /** For the servers of the bus: `authorization.conf` is written there. */
  readonly publicFolder: string;
  readonly clock: Clock;
  /** The rights of members, as configuration of the servers. */
  readonly authorizationOf: (members: readonly Member[]) => string;
  /** Has the servers read it again. */
  readonly reload: () => Promise<void>;
  /** The common name for a member's certificate. */
  readonly commonNameOf: (member: Pick<Member, 'role' | 'name' | 'key'>) => string;
}

/** Both in PEM. */
export interface Enrolled {
  readonly member: Member;
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
  readonly #counts = { enrolled: 0, refused: 0 };
  /** One after the other: the newest list is written last. */
  #publishing: Promise<unknown> = Promise.resolve();

  static async open(options: EnrolmentOptions): Promise<Enrolment> {
    const { folder, clock } = options;
    const authority = await BusAuthority.open(folder, clock);
    const enrolment = new Enrolment(options, authority, await MemberList.open(folder, clock));
    // What was changed last may not have reached the servers.
    await enrolment.#publish();
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

  get invitations(): readonly Invitation[] {
    return this.#list.invitations;
  }

  /** Since the start. */
  get counts(): { readonly enrolled: number; readonly refused: number } {
    return this.#counts;
  }

  makeServerPair(hosts: readonly string[]): Pair {
    return this.#authority.makeServerPair(hosts);
  }

  /** Once, within the time. Rejects with `TitleTaken`. */
  invite(
    invited: Pick<Member, 'role' | 'title' | 'by'>,
    validMs = usualValidMs,
  ): Promise<Given & Pick<Invitation, 'untilUs'>> {
    return this.#list.invite(invited, validMs);
  }

  /** The list says so when it resolves. Rejects with `NotInvited`. */
  async enrol(request: BusEnrolmentRequest): Promise<Enrolled> {
    try {
      const enrolled = await this.#enrol(request);
      this.#counts.enrolled++;
      return enrolled;
    } catch (error) {
      if (error instanceof NotInvited) this.#counts.refused++;
      throw error;
    }
  }

  async #enrol({
    invitation,
    secret,
    id: name,
    'public-key': publicKey,
    proof,
  }: BusEnrolmentRequest): Promise<Enrolled> {
    const given = { id: invitation, secret };
    // Before anything that costs more.
    this.#list.check(given);
    if (!namePattern.test(name)) throw new NotInvited('the id is none: 1 to 40 characters of 0-9, A-Z, a-z, _ and -');
    const key = readKey(publicKey);
    if (key === undefined || !isSigned(key, signedText(invitation, name), proof)) {
      throw new NotInvited('the key is none of P-256, or was not shown to be there');
    }
    const member = await this.#list.join(given, { name, key: thumbprintOf(key) });
    await this.#publish();
    return { member, certificate: this.#certificateOf(member, key), authority: this.authority };
  }

  /** Whoever has the key becomes a member without a code: it is the centre's own. Its certificate, in PEM. */
  async admit(own: Pick<Member, 'role' | 'name' | 'title' | 'by'>, publicKey: KeyObject): Promise<string> {
    const member = { ...own, key: thumbprintOf(publicKey) };
    await this.#list.put(member);
    await this.#publish();
    return this.#certificateOf(member, publicKey);
  }

  /** A member, or an invitation; the list says so when it resolves. False: nobody has the name. */
  async revoke(name: string): Promise<boolean> {
    const isFound = await this.#list.remove(name);
    await this.#publish();
    return isFound;
  }

  #certificateOf(member: Pick<Member, 'role' | 'name' | 'key'>, publicKey: KeyObject): string {
    return this.#authority.sign(this.#options.commonNameOf(member), publicKey);
  }

  async #publish(): Promise<void> {
    const { publicFolder, authorizationOf, reload } = this.#options;
    const published = this.#publishing.then(async () => {
      await replaceFile(join(publicFolder, authorizationFile), authorizationOf(this.members));
      await reload();
    });
    this.#publishing = published.catch(() => undefined);
    await published;
  }
}

export function signedText(invitation: string, name: string): string {
  return `telltale enrolment ${invitation} ${name}`;
}

/** Of a member's key: part of the common name of its certificate. */
export function thumbprintOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
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
