// Who is on the bus, and who is invited, in a file of the centre. It is on disk before anything follows from it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BusMemberRole, type Clock, checker, parseJson } from '@telltale/schema';
import { replaceFile } from '@telltale/stack-kit';
import Type, { type Static } from 'typebox';

const Member = Type.Object({
  role: BusMemberRole,
  /** Of a site, its id. */
  name: Type.String({ pattern: '^[0-9A-Za-z_-]{1,40}$' }),
  /** Of its certificate: another key is another one. */
  key: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  /** For people; no other member has it. */
  title: Type.String({ maxLength: 256 }),
  sinceUs: Type.Integer(),
  by: Type.String(),
});
export type Member = Static<typeof Member>;

const Invitation = Type.Object({
  id: Type.String(),
  /** SHA-256 of the secret. */
  hash: Type.String(),
  role: BusMemberRole,
  title: Type.String(),
  untilUs: Type.Integer(),
  by: Type.String(),
});
export type Invitation = Static<typeof Invitation>;

/** Whoever was taken out: what is stored of its name goes on only with somebody who was invited as it. */
const Former = Type.Pick(Member, ['role', 'name', 'title']);
type Former = Static<typeof Former>;

/** A list of before has no former members. */
const List = Type.Object({
  members: Type.Array(Member),
  invitations: Type.Array(Invitation),
  former: Type.Optional(Type.Array(Former)),
});
type List = Required<Static<typeof List>>;
const lists = checker(List);

const fileName = 'members.json';
const mostInvitations = 1000;

/** The message is for whoever asked. */
export class NotInvited extends Error {
  override readonly name = 'NotInvited';
}

/** The message is for whoever invites. */
export class TitleTaken extends Error {
  override readonly name = 'TitleTaken';
}

/** What somebody has to show for an invitation. */
export interface Given {
  readonly id: string;
  readonly secret: string;
}

export class MemberList {
  readonly #folder: string;
  readonly #clock: Clock;
  #list: List;
  /** One after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  /** Rejects where the file cannot be read, or is none: who is on the bus is not to be guessed. */
  static async open(folder: string, clock: Clock): Promise<MemberList> {
    const path = join(folder, fileName);
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"members":[],"invitations":[]}';
      throw error;
    });
    const list = parsed(text);
    if (!lists.fits(list)) throw new Error(`${path} is no list of members: put it back from a backup`);
    return new MemberList(folder, clock, { former: [], ...(list as Static<typeof List>) });
  }

  private constructor(folder: string, clock: Clock, list: List) {
    this.#folder = folder;
    this.#clock = clock;
    this.#list = list;
  }

  get members(): readonly Member[] {
    return this.#list.members;
  }

  /** Those that are still good. */
  get invitations(): readonly Invitation[] {
    return this.#list.invitations.filter((each) => this.#isGood(each));
  }

  /** On disk when it resolves; the secret is nowhere but in the answer. Rejects with `TitleTaken`. */
  async invite(
    invited: Pick<Invitation, 'role' | 'title' | 'by'>,
    validMs: number,
  ): Promise<Given & Pick<Invitation, 'untilUs'>> {
    const [id, secret] = [randomBytes(9).toString('base64url'), randomBytes(24).toString('base64url')];
    const untilUs = Math.floor(this.#clock.now()) + 1000 * validMs;
    await this.#change(({ members, invitations, ...rest }) => {
      const other = members.find(({ role, title }) => title === invited.title && role !== invited.role);
      if (other !== undefined) throw new TitleTaken(`${other.title} is a member with the role ${other.role}`);
      const good = invitations.filter((each) => this.#isGood(each)).slice(1 - mostInvitations);
      return { ...rest, members, invitations: [...good, { ...invited, id, hash: hashOf(secret), untilUs }] };
    });
    return { id, secret, untilUs };
  }

  /** Throws `NotInvited`. Guessing costs no more than this. */
  check(given: Given): void {
    this.#invitationOf(given, this.#list);
  }

  /**
   * Uses up the invitation; on disk when it resolves. Rejects with `NotInvited`. Another key of a member takes its place where the
   * invitation is for that member: nobody else's can be taken with it. So it is with the name of one that was taken out.
   */
  async join(given: Given, { name, key }: Pick<Member, 'name' | 'key'>): Promise<Member> {
    let joined: Member | undefined;
    await this.#change((list) => {
      const { members, invitations, former } = list;
      const invitation = this.#invitationOf(given, list);
      const { role, by, title } = invitation;
      const [same, namesake] = [
        members.find((each) => each.name === name),
        members.find((each) => each.title === title),
      ];
      if (same !== undefined && same !== namesake) {
        throw new NotInvited(`this server is ${same.title} on the bus already, and the code is for ${title}`);
      }
      if (namesake !== undefined && same === undefined) {
        throw new NotInvited(
          `${title} is another server, with the id ${namesake.name}: take that out first (telltale site revoke), or ask for a code ` +
            'with another name',
        );
      }
      const before = former.find((each) => each.name === name);
      if (before !== undefined && (before.title !== title || before.role !== role)) {
        throw new NotInvited(
          `the id ${name} is that of ${before.title}, a ${before.role} that was revoked: ask for a code for that, or enrol another id`,
        );
      }
      joined = { role, name, key, title, by, sinceUs: Math.floor(this.#clock.now()) };
      const others = members.filter((each) => each !== same);
      return {
        members: [...others, joined],
        invitations: invitations.filter((each) => each !== invitation),
        former: former.filter((each) => each !== before),
      };
    });
    return joined as Member;
  }

  /** In the place of one of its name; on disk when it resolves. */
  async put(member: Omit<Member, 'sinceUs'>): Promise<void> {
    await this.#change(({ members, ...rest }) => ({
      ...rest,
      members: [
        ...members.filter(({ name }) => name !== member.name),
        { ...member, sinceUs: Math.floor(this.#clock.now()) },
      ],
    }));
  }

  /** The member of this name with all invitations for it, or the invitation of this id; on disk when it resolves. False: there is none. */
  async remove(id: string): Promise<boolean> {
    let isFound = false;
    await this.#change(({ members, invitations, former }) => {
      const member = members.find(({ name }) => name === id);
      const left = invitations.filter((each) => each.id !== id && each.title !== member?.title);
      isFound = member !== undefined || left.length < invitations.length;
      const own = member === undefined ? [] : [formerOf(member)];
      const others = former.filter(({ name }) => name !== member?.name);
      return { members: members.filter((each) => each !== member), invitations: left, former: [...others, ...own] };
    });
    return isFound;
  }

  async #change(change: (list: List) => List): Promise<void> {
    const changed = this.#changing.then(async () => {
      const next = change(this.#list);
      await replaceFile(join(this.#folder, fileName), `${JSON.stringify(next, undefined, 2)}\n`);
      this.#list = next;
    });
    this.#changing = changed.catch(() => undefined);
    await changed;
  }

  #invitationOf({ id, secret }: Given, { invitations }: List): Invitation {
    const invitation = invitations.find((each) => each.id === id);
    if (invitation === undefined || !isEqual(invitation.hash, hashOf(secret)) || !this.#isGood(invitation)) {
      throw new NotInvited('the code is not good, was used, or is too old: ask for another one');
    }
    return invitation;
  }

  #isGood({ untilUs }: Invitation): boolean {
    return this.#clock.now() < untilUs;
  }
}

function formerOf({ role, name, title }: Member): Former {
  return { role, name, title };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
