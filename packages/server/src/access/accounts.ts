// Users, roles and the certificates of clients, and the rights that their grants make.
import {
  type ClientCertificate,
  type ClientCertificateBody,
  type Clock,
  type Grant,
  type Group,
  type GroupBody,
  ProblemError,
  type Role,
  type RoleBody,
  type Scope,
  type User,
  type UserBody,
} from '@telltale/schema';
import type { ChangedEntry, StoredEntry } from './access-store.ts';
import { ClientCertificates } from './client-certificates.ts';
import { type Change, type Changes, Collection } from './collection.ts';
import type { DirectoryKind, DirectoryUser } from './directories/directory.ts';
import { Groups } from './groups.ts';
import { checkAdministrator } from './last-administrator.ts';
import { checkManages, everywhere, type Manager, manages } from './manager.ts';
import { hasFactor } from './passwords/stored-factors.ts';
import type { Granted, GrantedRights } from './rights.ts';
import { Roles } from './roles.ts';
import {
  checkName,
  directoryFault,
  kept,
  ofRecovery,
  recoveryName,
  recoveryS,
  rightsKey,
  type StoredUser,
  shown,
} from './stored-user.ts';

export interface AccountsOptions {
  readonly changes: Changes;
  readonly clock: Clock;
  /** After each change that may have changed what somebody may do. */
  readonly onChange: () => void;
}

export class Accounts {
  readonly #options: AccountsOptions;
  readonly #users = new Collection<StoredUser>('user', 'user');
  readonly #roles = new Roles();
  readonly #groups = new Groups();
  readonly certificates = new ClientCertificates();
  /** By user, since the start. */
  readonly #passwords = new Map<string, number>();
  #version = 0;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  load(entries: readonly StoredEntry[]): void {
    for (const part of [this.#users, this.#roles, this.certificates, this.#groups]) part.load(entries);
  }

  /** Another number after each change: what was compiled from users and roles before may be another now. */
  get version(): number {
    return this.#version;
  }

  get hasUsers(): boolean {
    return this.#users.size > 0;
  }

  /** Those that the manager manages: whoever manages a part of the plant sees nobody who has more than that. */
  users(manager: Manager): User[] {
    return this.#users
      .all()
      .filter(([, user]) => this.#isManaged(user, manager))
      .map(([name, user]) => shown(name, user));
  }

  user(name: string, manager: Manager): User {
    return shown(name, this.#managed(name, manager));
  }

  /** Of one that is not there: whether the manager manages all of the plant. */
  isManaged(name: string, manager: Manager): boolean {
    const user = this.#users.get(name);
    return user === undefined ? manages(manager, everywhere) : this.#isManaged(user, manager);
  }

  has(name: string): boolean {
    return this.#users.get(name) !== undefined;
  }

  /** Whoever is, is nobody: with a session or a token as with a password. */
  isDisabled(name: string): boolean {
    return this.#users.get(name)?.disabled === true;
  }

  /** Undefined where there is none, or its time is over. */
  stored(name: string): StoredUser | undefined {
    const user = this.#users.get(name);
    return user?.recoveryUntil !== undefined && user.recoveryUntil <= this.#nowS() ? undefined : user;
  }

  /** Until when the user that recovers access can; undefined where there is none. */
  get recoveryUntil(): number | undefined {
    return this.stored(recoveryName)?.recoveryUntil;
  }

  /** Its own, and those of its groups; none of whoever may not sign in. */
  grantsOf(user: StoredUser | undefined): readonly Grant[] {
    if (user === undefined || user.disabled === true || user.absent === true) return [];
    const ofGroups = this.#ofGroups(user);
    return ofGroups.length === 0 ? user.grants : [...user.grants, ...ofGroups];
  }

  /** Those of a directory that were there when it was asked last. */
  ofDirectory(directory: DirectoryKind): [string, StoredUser][] {
    return this.#users.all().filter(([, { origin, absent }]) => origin === directory && absent !== true);
  }

  /** By name. */
  all(): [string, StoredUser][] {
    return this.#users.all();
  }

  /** Whether signing in takes more than the password. */
  hasFactor(name: string): boolean {
    return hasFactor(this.stored(name)?.factors);
  }

  /** Whether a role demands a second factor. Of who signs in at a provider's page, that is the provider's business. */
  mustHaveFactor(name: string): boolean {
    const user = this.stored(name);
    if (user?.origin === 'oidc') return false;
    return this.grantsOf(user).some(({ role }) => this.#roles.get(role)?.secondFactor === true);
  }

  roles(): Role[] {
    return this.#roles.list();
  }

  role(name: string): Role {
    return this.#roles.known(name);
  }

  findRole(name: string): RoleBody | undefined {
    return this.#roles.get(name);
  }

  listCertificates(manager: Manager): ClientCertificate[] {
    return this.certificates.list().filter(({ grants }) => manages(manager, grants));
  }

  certificate(name: string, manager: Manager): ClientCertificate {
    return this.certificates.known(name, ({ grants }) => manages(manager, grants));
  }

  groups(manager: Manager): Group[] {
    return this.#groups.list().filter(({ grants }) => manages(manager, grants));
  }

  group(name: string, manager: Manager): Group {
    return this.#groups.known(name, ({ grants }) => manages(manager, grants));
  }

  /** The first user, who can sign in and manage the others. */
  putFirst(name: string, password: string): Promise<void> {
    return this.#change(() => {
      if (this.hasUsers) throw new ProblemError('already-initialized', 'Somebody was faster, or it was done before.');
      checkName(name);
      const user: StoredUser = { origin: 'local', grants: [{ role: 'administrator' }], password };
      const roles = this.#roles.all().map(([key, role]) => this.#roles.change(key, role));
      return [...roles, this.#users.change(name, user)];
    });
  }

  /** Creates or changes a user. */
  putUser(name: string, body: UserBody, manager: Manager, more: Partial<StoredUser> = {}): Promise<void> {
    return this.#change(() => {
      checkName(name);
      const known = this.#users.get(name);
      if (known !== undefined) checkManages(manager, this.#partsOf(known));
      this.#checkGrants(body.grants, manager);
      return [this.#users.change(name, { origin: 'local', ...kept(known), ...body, ...more })];
    });
  }

  /** Somebody who can manage users for a while, though nobody else can sign in. */
  putRecovery(password: string): Promise<void> {
    return this.#change(() => {
      if (!this.hasUsers) throw new ProblemError('not-initialized', 'There is nobody whose access could be recovered.');
      const recoveryUntil = this.#nowS() + recoveryS;
      return [this.#newPassword(recoveryName, { origin: 'local', grants: [], password, recoveryUntil })];
    });
  }

  /** What the service itself notes of a user, or a manager has it note. */
  noteUser(
    name: string,
    note: Partial<StoredUser> | ((user: StoredUser) => Partial<StoredUser>),
    manager?: Manager,
  ): Promise<void> {
    return this.#change(() => {
      const user = this.#managed(name, manager);
      return [this.#users.change(name, { ...user, ...(typeof note === 'function' ? note(user) : note) })];
    });
  }

  setPassword(name: string, password: string, manager?: Manager): Promise<void> {
    return this.#change(() => [this.#newPassword(name, { ...this.ownerOfPassword(name, manager), password })]);
  }

  /** Another number after each new password of the user: who was proved to be it by the one before is so no longer. */
  passwordVersion(name: string): number {
    return this.#passwords.get(name) ?? 0;
  }

  /** Throws where there is none that the manager manages, or a directory has the password. */
  ownerOfPassword(name: string, manager?: Manager): StoredUser {
    const user = this.#managed(name, manager);
    if (user.origin === 'local') return user;
    throw new ProblemError(
      'not-allowed',
      `${name} is a user of a directory (${user.origin}), which has the password: it is changed there.`,
    );
  }

  /** Notes whom a directory vouches for; throws where it cannot be a user here. */
  async enter({ directory, name, subject, groups }: DirectoryUser): Promise<void> {
    const decide = (): readonly Change[] => {
      const known = this.#users.get(name);
      const fault = directoryFault(name, { origin: directory, subject }, this.#users.all());
      if (fault !== undefined) throw new ProblemError('sign-in-refused', `${fault}.`);
      const own = this.#groups.granted(directory, groups);
      const user: StoredUser = { grants: [], ...known, origin: directory, subject, groups: own, absent: false };
      if (user.disabled !== true && this.grantsOf(user).length === 0) {
        const text = `${name} is in no group that has a role here; an administrator gives roles to groups, or to ${name}`;
        throw new ProblemError('sign-in-refused', `${text}.`);
      }
      return JSON.stringify(user) === JSON.stringify(known) ? [] : [this.#users.change(name, user)];
    };
    if (decide().length > 0) await this.#change(decide);
  }

  /** The directory has nobody of the name any more: whatever was granted does not hold until it has. */
  leave(name: string): Promise<void> {
    return this.noteUser(name, { absent: true });
  }

  putGroup(name: string, body: GroupBody, manager: Manager): Promise<void> {
    return this.#change(() => {
      const known = this.#groups.find(name);
      if (known !== undefined) checkManages(manager, known.grants);
      this.#checkGrants(body.grants, manager);
      return [this.#groups.change(name, body)];
    });
  }

  deleteGroup(name: string, manager: Manager): Promise<void> {
    return this.#change(() => {
      this.group(name, manager);
      return [this.#groups.change(name, null)];
    });
  }

  deleteUser(name: string, manager: Manager): Promise<void> {
    return this.#change(() => {
      this.#managed(name, manager);
      return [this.#users.change(name, null)];
    });
  }

  putRole(name: string, body: RoleBody, manager: Manager): Promise<void> {
    return this.#change(() => {
      checkManages(manager, everywhere);
      return [this.#roles.change(name, body)];
    });
  }

  deleteRole(name: string, manager: Manager): Promise<void> {
    return this.#change(() => {
      checkManages(manager, everywhere);
      this.#roles.known(name);
      const holder = [...this.#holders()].find(({ grants }) => grants.some(({ role }) => role === name));
      if (holder !== undefined) throw new ProblemError('role-in-use', `${holder.who} has the role ${name}.`);
      return [this.#roles.change(name, null)];
    });
  }

  putCertificate(name: string, body: ClientCertificateBody, manager: Manager): Promise<void> {
    return this.#change(() => {
      const known = this.certificates.get(name);
      if (known !== undefined) checkManages(manager, known.grants);
      this.#checkGrants(body.grants, manager);
      return [this.certificates.change(name, body)];
    });
  }

  deleteCertificate(name: string, manager: Manager): Promise<void> {
    return this.#change(() => {
      this.certificate(name, manager);
      return [this.certificates.change(name, null)];
    });
  }

  /** What a user may, as data: nothing where there is none, or it is disabled. */
  grantedTo(name: string): Granted[] {
    const user = this.stored(name);
    return user?.recoveryUntil === undefined ? this.granted(this.grantsOf(user)) : [{ permissions: ofRecovery }];
  }

  granted(grants: readonly Grant[]): Granted[] {
    return this.#roles.granted(grants);
  }

  /** The same object for the same permissions. */
  rightsOf(granted: readonly Granted[]): GrantedRights {
    return this.#roles.rightsOf(granted);
  }

  #newPassword(name: string, user: StoredUser): Change {
    const { stored, hold } = this.#users.change(name, user);
    const count = () => {
      hold();
      this.#passwords.set(name, this.passwordVersion(name) + 1);
    };
    return { stored, hold: count };
  }

  /** Throws where there is none, and in the same words where the manager, if it is for one, does not manage it. */
  #managed(name: string, manager: Manager | undefined): StoredUser {
    return this.#users.known(name, (user) => manager === undefined || this.#isManaged(user, manager));
  }

  #isManaged(user: StoredUser, manager: Manager): boolean {
    return manages(manager, this.#partsOf(user));
  }

  /** Where it has rights, or will have when it can sign in again. */
  #partsOf(user: StoredUser): readonly Scope[] {
    return [...user.grants, ...this.#ofGroups(user)];
  }

  #ofGroups({ origin, groups = [] }: StoredUser): readonly Grant[] {
    return groups.length === 0 ? [] : this.#groups.grantsOf(origin, groups);
  }

  /** Throws where a role is unknown, or something is granted that the manager does not manage. */
  #checkGrants(grants: readonly Grant[], manager: Manager): void {
    for (const { role, area, prefix } of grants) {
      this.#roles.known(role);
      if (area && prefix) throw new ProblemError('invalid-body', 'A grant has an area or a prefix, not both.');
    }
    checkManages(manager, grants);
  }

  /** Nothing that leaves nobody to manage users. What changes nobody's rights compiles none anew. */
  async #change(decide: () => readonly Change[]): Promise<void> {
    const { changes, onChange } = this.#options;
    const changesRights = await changes.run(() => {
      const all = decide();
      checkAdministrator({ users: this.#users.all(), roles: this.#roles.all() }, all);
      return { changes: all, result: all.some(({ stored }) => this.#changesRights(stored)) };
    });
    if (!changesRights) return;
    this.#roles.forgetRights();
    this.#version++;
    onChange();
  }

  #changesRights({ kind, key, value }: ChangedEntry): boolean {
    return kind !== 'user' || rightsKey(this.#users.get(key)) !== rightsKey((value as StoredUser | null) ?? undefined);
  }

  #nowS(): number {
    return this.#options.clock.now() / 1e6;
  }

  *#holders(): Generator<{ who: string; grants: readonly Grant[] }> {
    for (const [name, { grants }] of this.#users.all()) yield { who: name, grants };
    for (const { name, grants } of this.certificates.list()) yield { who: `certificate/${name}`, grants };
    for (const { name, grants } of this.#groups.list()) yield { who: `the group ${name}`, grants };
  }
}
