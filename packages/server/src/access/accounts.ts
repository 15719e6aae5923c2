// Users, roles and the certificates of clients, and the rights that their grants make.
import {
  accountNamePattern,
  type ClientCertificate,
  type ClientCertificateBody,
  type Clock,
  type Grant,
  type GroupBody,
  initialRoles,
  type Permission,
  ProblemError,
  type Role,
  type RoleBody,
  type Scope,
  type User,
  type UserBody,
} from '@telltale/schema';
import type { StoredEntry } from './access-store.ts';
import { type Change, type Changes, Collection } from './collection.ts';
import type { DirectoryKind, DirectoryUser } from './directories/directory.ts';
import { Groups } from './groups.ts';
import { hasFactor, type StoredFactors } from './passwords/stored-factors.ts';
import { covers, type Granted, GrantedRights, type Rights } from './rights.ts';

export interface StoredUser extends UserBody {
  /** `local`, or a `DirectoryKind`. */
  readonly origin: string;
  /** Of a directory: who it is, whatever it is called; and its groups, as far as they have grants here. */
  readonly subject?: string;
  readonly groups?: readonly string[];
  /** The directory had nobody of the name when it was asked last. */
  readonly absent?: boolean;
  /** A PHC string; undefined: no password is right. */
  readonly password?: string;
  readonly lastSignIn?: number;
  /** Beside the password. */
  readonly factors?: StoredFactors;
  /** Of the user that recovers access: when it ends, in seconds since 1970. */
  readonly recoveryUntil?: number;
}

export interface AccountsOptions {
  readonly changes: Changes;
  readonly clock: Clock;
  /** After each change that may have changed what somebody may do. */
  readonly onChange: () => void;
}

/** Whoever manages users: for all of the plant, or for a part of it. */
export type Manager = Pick<Rights, 'granted'>;

const everywhere: readonly Scope[] = [{}];
const accountName = new RegExp(accountNamePattern);

/** What it takes to give others access again. */
const ofRecovery: readonly Permission[] = ['view', 'manage-users', 'read-audit'];
export const recoveryName = 'recovery';
const recoveryS = 4 * 3600;

/** Words that the service itself uses as an authority. */
const reservedNames: ReadonlySet<string> = new Set([
  'local',
  'owner',
  'nobody',
  'operator',
  'trigger',
  'device',
  'names',
  'me',
  recoveryName,
]);

export class Accounts {
  readonly #options: AccountsOptions;
  readonly #users = new Collection<StoredUser>('user', 'user');
  readonly #roles = new Collection<RoleBody>('role', 'role');
  readonly #certificates = new Collection<ClientCertificateBody>('certificate', 'certificate');
  readonly groups = new Groups();
  /** By grants: callers that may do the same share their rights, and what is compiled from these. */
  readonly #rights = new Map<string, GrantedRights>();
  #version = 0;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  /** The roles that come with the service are stored with the first user. */
  load(entries: readonly StoredEntry[]): void {
    for (const { name, ...role } of initialRoles) this.#roles.change(name, role).hold();
    const stored = entries.filter(({ kind }) => kind === 'role');
    if (stored.length > 0) for (const { name } of initialRoles) this.#roles.change(name, null).hold();
    for (const collection of [this.#users, this.#roles, this.#certificates, this.groups]) collection.load(entries);
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
      .filter(([, user]) => manages(manager, this.grantsOf(user)))
      .map(([name, user]) => shown(name, user));
  }

  user(name: string, manager: Manager): User {
    return shown(name, this.#managed(name, manager));
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
    if (user.groups === undefined || user.groups.length === 0) return user.grants;
    return [...user.grants, ...this.groups.grantsOf(user.origin, user.groups)];
  }

  /** Those of a directory that were there when it was asked last. */
  ofDirectory(directory: DirectoryKind): [string, StoredUser][] {
    return this.#users.all().filter(([, { origin, absent }]) => origin === directory && absent !== true);
  }

  find(isIt: (user: StoredUser) => boolean): [string, StoredUser] | undefined {
    return this.#users.all().find(([, user]) => isIt(user));
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
    return this.#roles.all().map(([name, role]) => ({ name, ...role }));
  }

  role(name: string): Role {
    return { name, ...this.#roles.known(name) };
  }

  findRole(name: string): RoleBody | undefined {
    return this.#roles.get(name);
  }

  /** The one that a client has presented, by its fingerprint in lower-case hexadecimal, or its subject. */
  findCertificate(fingerprint: string, subject: string): ClientCertificate | undefined {
    return (
      this.certificates().find((each) => each.fingerprint === fingerprint) ??
      this.certificates().find((each) => each.subject === subject)
    );
  }

  certificates(): ClientCertificate[] {
    return this.#certificates.all().map(([name, certificate]) => ({ name, ...certificate }));
  }

  certificate(name: string): ClientCertificate {
    return { name, ...this.#certificates.known(name) };
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
      this.#checkGrants([...(known?.grants ?? []), ...body.grants], manager);
      return [this.#users.change(name, { origin: 'local', ...kept(known), ...body, ...more })];
    });
  }

  /** Somebody who can manage users for a while, though nobody else can sign in. */
  putRecovery(password: string): Promise<void> {
    return this.#change(() => {
      if (!this.hasUsers) throw new ProblemError('not-initialized', 'There is nobody whose access could be recovered.');
      const recoveryUntil = this.#nowS() + recoveryS;
      return [this.#users.change(recoveryName, { origin: 'local', grants: [], password, recoveryUntil })];
    });
  }

  /** What the service itself notes of a user. */
  noteUser(name: string, note: Partial<StoredUser> | ((user: StoredUser) => Partial<StoredUser>)): Promise<void> {
    return this.#change(() => {
      const user = this.#users.known(name);
      return [this.#users.change(name, { ...user, ...(typeof note === 'function' ? note(user) : note) })];
    });
  }

  /** Notes whom a directory vouches for; throws where it cannot be a user here. */
  async enter({ directory, name, subject, groups }: DirectoryUser): Promise<void> {
    const decide = (): readonly Change[] => {
      const known = this.#users.get(name);
      const fault = this.#directoryFault(name, directory, subject);
      if (fault !== undefined) throw new ProblemError('sign-in-refused', `${fault}.`);
      const own = this.groups.granted(directory, groups);
      const user: StoredUser = { grants: [], ...known, origin: directory, subject, groups: own, absent: false };
      if (user.disabled !== true && this.grantsOf(user).length === 0) {
        const text = `${name} is in no group that has a role here; an administrator gives roles to groups, or to ${name}`;
        throw new ProblemError('sign-in-refused', `${text}.`);
      }
      return JSON.stringify(user) === JSON.stringify(known) ? [] : [this.#users.change(name, user)];
    };
    // What stays as it is compiles nobody's rights anew.
    if (decide().length > 0) await this.#change(decide);
  }

  /** The directory has nobody of the name any more: whatever was granted does not hold until it has. */
  leave(name: string): Promise<void> {
    return this.noteUser(name, { absent: true });
  }

  putGroup(name: string, body: GroupBody, manager: Manager): Promise<void> {
    return this.#change(() => {
      this.#checkGrants([...(this.groups.find(name)?.grants ?? []), ...body.grants], manager);
      return [this.groups.change(name, body)];
    });
  }

  deleteGroup(name: string, manager: Manager): Promise<void> {
    return this.#change(() => {
      checkManages(manager, this.groups.known(name).grants);
      return [this.groups.change(name, null)];
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
      if ((body.fingerprint === undefined) === (body.subject === undefined)) {
        throw new ProblemError(
          'invalid-body',
          'A certificate is known by its fingerprint or by its subject: give one.',
        );
      }
      this.#checkGrants([...(this.#certificates.get(name)?.grants ?? []), ...body.grants], manager);
      const fingerprint = body.fingerprint?.replaceAll(':', '').toLowerCase();
      return [this.#certificates.change(name, { ...body, ...(fingerprint && { fingerprint }) })];
    });
  }

  deleteCertificate(name: string, manager: Manager): Promise<void> {
    return this.#change(() => {
      checkManages(manager, this.#certificates.known(name).grants);
      return [this.#certificates.change(name, null)];
    });
  }

  /** What a user may, as data: nothing where there is none, or it is disabled. */
  grantedTo(name: string): Granted[] {
    const user = this.stored(name);
    return user?.recoveryUntil === undefined ? this.granted(this.grantsOf(user)) : [{ permissions: ofRecovery }];
  }

  /** What grants permit, as data. Roles that do not exist permit nothing. */
  granted(grants: readonly Grant[]): Granted[] {
    return grants.flatMap(({ role, ...scope }) => {
      const permissions = this.#roles.get(role)?.permissions ?? [];
      return permissions.length === 0 ? [] : [{ permissions, ...scope }];
    });
  }

  /** The same object for the same permissions. */
  rightsOf(granted: readonly Granted[]): GrantedRights {
    const key = JSON.stringify(granted);
    const known = this.#rights.get(key);
    if (known !== undefined) return known;
    const rights = new GrantedRights(granted);
    this.#rights.set(key, rights);
    return rights;
  }

  #managed(name: string, manager: Manager): StoredUser {
    const user = this.#users.known(name);
    checkManages(manager, [...user.grants, ...this.grantsOf(user)]);
    return user;
  }

  /** Why somebody of a directory cannot be the user of this name. A local user keeps the name, in whatever case. */
  #directoryFault(name: string, directory: string, subject: string): string | undefined {
    const quoted = JSON.stringify(name.slice(0, 80));
    if (!accountName.test(name)) return `${quoted} cannot be the name of a user here`;
    if (reservedNames.has(name.toLowerCase())) return `${name} is a reserved word`;
    const other = this.#users.all().find(([key]) => key.toLowerCase() === name.toLowerCase());
    if (other === undefined) return undefined;
    const [key, { origin, subject: known }] = other;
    if (origin !== directory) return `there is a user ${key} already who is ${origin}, and not of the directory`;
    if (key === name && known === subject) return undefined;
    return `there is a user ${key} already who is another person of the directory; an administrator deletes that one`;
  }

  /** Throws where a role is unknown, or something is granted that the manager does not manage. */
  #checkGrants(grants: readonly Grant[], manager: Manager): void {
    for (const { role, area, prefix } of grants) {
      this.#roles.known(role);
      if (area && prefix) throw new ProblemError('invalid-body', 'A grant has an area or a prefix, not both.');
    }
    checkManages(manager, grants);
  }

  /** Nothing that leaves nobody to manage users. */
  #change(decide: () => readonly Change[]): Promise<void> {
    const { changes, onChange } = this.#options;
    return changes
      .run(() => {
        const all = decide();
        this.#checkAdministrator(all);
        return { changes: all, result: undefined };
      })
      .then(() => {
        this.#rights.clear();
        this.#version++;
        onChange();
      });
  }

  #nowS(): number {
    return this.#options.clock.now() / 1e6;
  }

  #checkAdministrator(changes: readonly Change[]): void {
    const after = <T>(kind: string, entries: [string, T][]) => {
      const map = new Map(entries);
      for (const { stored } of changes) {
        if (stored.kind !== kind) continue;
        if (stored.value === null) map.delete(stored.key);
        else map.set(stored.key, stored.value as T);
      }
      return map;
    };
    const users = after('user', this.#users.all());
    const roles = after('role', this.#roles.all());
    if (users.size === 0 && this.#users.size === 0) return;
    const isAdministrator = ({ grants, disabled, password }: StoredUser) =>
      disabled !== true &&
      password !== undefined &&
      grants.some(
        ({ role, area, prefix }) => !area && !prefix && roles.get(role)?.permissions.includes('manage-users') === true,
      );
    if ([...users.values()].some(isAdministrator)) return;
    throw new ProblemError(
      'last-administrator',
      'Nobody who can sign in would be left with the permission manage-users to all of the plant.',
    );
  }

  *#holders(): Generator<{ who: string; grants: readonly Grant[] }> {
    for (const [name, { grants }] of this.#users.all()) yield { who: name, grants };
    for (const [name, { grants }] of this.#certificates.all()) yield { who: `certificate/${name}`, grants };
    for (const { name, grants } of this.groups.list()) yield { who: `the group ${name}`, grants };
  }
}

function checkName(name: string): void {
  if (reservedNames.has(name.toLowerCase())) throw new ProblemError('reserved-name', `${name} is a reserved word.`);
}

function manages({ granted }: Manager, grants: readonly Scope[]): boolean {
  return covers(
    granted,
    grants.map(({ area, prefix }) => ({
      permissions: ['manage-users'],
      ...(area && { area }),
      ...(prefix && { prefix }),
    })),
  );
}

function checkManages(manager: Manager, grants: readonly Scope[]): void {
  if (manages(manager, grants)) return;
  throw new ProblemError('not-allowed', 'This concerns more of the plant than you manage the users of.');
}

/** What is no part of a body. */
function kept(user: StoredUser | undefined): Partial<StoredUser> {
  if (user === undefined) return {};
  const { grants: _, disabled: __, displayName: ___, ...rest } = user;
  return rest;
}

function shown(name: string, { password, lastSignIn, ...user }: StoredUser): User {
  const { displayName, grants, disabled, origin, groups } = user;
  return {
    name,
    ...(displayName !== undefined && { displayName }),
    grants,
    ...(disabled !== undefined && { disabled }),
    origin,
    ...(groups !== undefined && { groups: [...groups] }),
    hasPassword: password !== undefined,
    hasSecondFactor: hasFactor(user.factors),
    ...(lastSignIn !== undefined && { lastSignIn }),
  };
}
