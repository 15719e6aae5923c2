// Who is on the bus, and who is invited, in a file of the centre. It is on disk before anything follows from it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, checker, parseJson } from '@telltale/schema';
import { replaceFile } from '@telltale/stack-kit';
import Type, { type Static } from 'typebox';

const Role = Type.Enum(['site', 'archiver', 'centre', 'reader'], { type: 'string' });

const Member = Type.Object({
  role: Role,
  /** Of a site, its id. */
  name: Type.String({ pattern: '^[0-9A-Za-z_-]{1,40}$' }),
  /** Of its certificate: another key is another one. */
  key: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  /** For people. */
  title: Type.String({ maxLength: 256 }),
  sinceUs: Type.Integer(),
  by: Type.String(),
});
export type Member = Static<typeof Member>;

const Invitation = Type.Object({
  id: Type.String(),
  /** SHA-256 of the secret. */
  hash: Type.String(),
  role: Role,
  title: Type.String(),
  untilUs: Type.Integer(),
  by: Type.String(),
});
export type Invitation = Static<typeof Invitation>;

const List = Type.Object({ members: Type.Array(Member), invitations: Type.Array(Invitation) });
type List = Static<typeof List>;
const lists = checker(List);

const fileName = 'members.json';
const mostInvitations = 1000;

/** The message is for whoever asked. */
export class NotInvited extends Error {
  override readonly name = 'NotInvited';
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
    const list = parseJson(text);
    if (!lists.fits(list)) throw new Error(`${path} is no list of members: put it back from a backup`);
    return new MemberList(folder, clock, list as List);
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

  /** On disk when it resolves; the secret is nowhere but in the answer. */
  async invite(
    invited: Pick<Invitation, 'role' | 'title' | 'by'>,
    validMs: number,
  ): Promise<{ id: string; secret: string }> {
    const [id, secret] = [randomBytes(9).toString('base64url'), randomBytes(24).toString('base64url')];
    const untilUs = Math.floor(this.#clock.now()) + 1000 * validMs;
    await this.#change(({ members, invitations }) => {
      const good = invitations.filter((each) => this.#isGood(each)).slice(1 - mostInvitations);
      return { members, invitations: [...good, { ...invited, id, hash: hashOf(secret), untilUs }] };
    });
    return { id, secret };
  }

  /** Uses up the invitation; on disk when it resolves. Rejects with `NotInvited`. Another key of the same name takes its place. */
  async join(
    given: { id: string; secret: string },
    member: Pick<Member, 'name' | 'key'> & { title: string | undefined },
  ): Promise<Member> {
    let joined: Member | undefined;
    await this.#change(({ members, invitations }) => {
      const invitation = invitations.find(({ id }) => id === given.id);
      if (invitation === undefined || !isEqual(invitation.hash, hashOf(given.secret)) || !this.#isGood(invitation)) {
        throw new NotInvited('the code is not good, was used, or is too old: ask for another one');
      }
      const { role, by, title } = invitation;
      joined = {
        ...member,
        role,
        by,
        title: title || member.title || member.name,
        sinceUs: Math.floor(this.#clock.now()),
      };
      const others = members.filter((each) => each.role !== role || each.name !== member.name);
      return { members: [...others, joined], invitations: invitations.filter((each) => each !== invitation) };
    });
    return joined as Member;
  }

  /** Whoever has the name, whatever their role; on disk when it resolves. How many it were. */
  async remove(name: string): Promise<number> {
    const before = this.members.length;
    await this.#change(({ members, invitations }) => ({
      members: members.filter((each) => each.name !== name),
      invitations,
    }));
    return before - this.members.length;
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

  #isGood({ untilUs }: Invitation): boolean {
    return this.#clock.now() < untilUs;
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
