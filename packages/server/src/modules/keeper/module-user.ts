// The user as which a function module runs: as --module-user says, with a user of its own for each module where that is
// `own`.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { moduleFolder } from '../module-folder.ts';
import type { Bounds } from './keeper-protocol.ts';
import { mayChangeUser } from './machine.ts';

type User = NonNullable<Bounds['user']>;

/** What --module-user cannot be here; the message is for the person who starts the server. */
export class UnusableUser extends Error {
  override readonly name = 'UnusableUser';
}

// systemd takes users of services from the same range, which belongs to no account.
const firstUid = 61184;
const uids = 4336;
/** A file for each that a server has, with its data folder inside: gone when the machine restarts. */
const sharedClaims = '/run/telltale/users';
/** Where thousands of homes have taken all, the rest shares this one. */
const sharedUid = firstUid + uids;

/** Whether no account and no other module has it: what runs with it is of one module. */
export function isOwnUser(uid: number): boolean {
  return uid >= firstUid && uid < firstUid + uids;
}

export interface ModuleUsersOptions {
  /** `own`, `server`, the name of an account, a uid, or uid:gid. */
  readonly setting: string;
  /** In which each module has its folder. */
  readonly folder: string;
  /** Of the machine, unless a test says otherwise. */
  readonly mayChangeUser?: boolean;
  readonly passwd?: string;
  readonly dynamicUsers?: string;
  readonly claims?: string;
}

export class ModuleUsers {
  /** For the log, once: what the setting means here, where it is not what it says. */
  readonly remark: string | undefined;
  readonly #fixed: User | 'own' | undefined;
  readonly #folder: string;
  readonly #ownerOf: Map<string, number>;
  readonly #taken: Set<number>;
  readonly #claims: string;

  private constructor(
    fixed: User | 'own' | undefined,
    { remark, folder = '', claims = '', owners = new Map(), reserved = [] }: Partial<Assigned> = {},
  ) {
    this.#fixed = fixed;
    this.remark = remark;
    this.#folder = folder;
    this.#claims = claims;
    this.#ownerOf = owners;
    this.#taken = new Set([...owners.values(), ...reserved]);
  }

  /** Throws `UnusableUser`. */
  static async open(options: ModuleUsersOptions): Promise<ModuleUsers> {
    const { setting, folder } = options;
    if (setting === 'server') return new ModuleUsers(undefined);
    const may = options.mayChangeUser ?? (await mayChangeUser());
    const passwd = await readFile(options.passwd ?? '/etc/passwd', 'utf8').catch(() => '');
    if (setting === 'own' && !may) {
      const remark = 'function modules run as the server itself: only root can give each a user of its own';
      return new ModuleUsers(undefined, { remark });
    }
    if (setting === 'own') {
      const dynamic = await readdir(options.dynamicUsers ?? '/run/systemd/dynamic-uid').catch(() => []);
      const named = [...accounts(passwd).values()].map(({ uid }) => uid);
      const reserved = [...named, ...dynamic.map(Number), ...(await livingUsers())];
      const claims = options.claims ?? sharedClaims;
      await mkdir(claims, { recursive: true, mode: 0o700 }).catch(() => undefined);
      return new ModuleUsers('own', { folder: resolve(folder), claims, owners: await ownersOf(folder), reserved });
    }
    const user = namedUser(setting, passwd);
    if (user.uid === process.getuid?.() && user.gid === process.getgid?.()) return new ModuleUsers(undefined);
    if (!may) {
      throw new UnusableUser(
        `--module-user ${JSON.stringify(setting)} needs a server that is root: start it as root, or without this setting.`,
      );
    }
    return new ModuleUsers(user);
  }

  /** Undefined: as the server itself. Always the same for a module, also after a restart: its home remembers it. */
  userOf(module: string): User | undefined {
    if (this.#fixed !== 'own') return this.#fixed;
    const folder = moduleFolder(module);
    const known = this.#ownerOf.get(folder);
    const uid = known !== undefined && this.#claim(known) ? known : this.#assign(folder);
    return { uid, gid: uid };
  }

  /** Those that modules of this server have, and no other server of this machine. */
  get own(): ReadonlySet<number> {
    return new Set([...this.#ownerOf.values()].filter((uid) => isOwnUser(uid) && this.#claim(uid)));
  }

  /** By its hash, so that a lost home changes little; the next one where somebody has it. */
  #assign(folder: string): number {
    const hash = createHash('sha256').update(join(this.#folder, folder)).digest().readUInt32BE();
    let step = 0;
    const uidAt = (place: number) => firstUid + ((hash + place) % uids);
    while (step < uids && (this.#taken.has(uidAt(step)) || !this.#claim(uidAt(step)))) step++;
    const uid = step < uids ? uidAt(step) : sharedUid;
    this.#taken.add(uid);
    this.#ownerOf.set(folder, uid);
    return uid;
  }

  /** False where another server of this machine has it: to end the processes of a user ends those of both. */
  #claim(uid: number): boolean {
    const path = join(this.#claims, String(uid));
    const data = dirname(this.#folder);
    try {
      const holder = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
      if (holder === data) return true;
      if (holder !== undefined && existsSync(holder)) return false;
      rmSync(path, { force: true }); // of a data folder that is gone
      writeFileSync(path, data, { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      // Where nothing can be written there, others are unknown.
      return (error as NodeJS.ErrnoException).code !== 'EEXIST';
    }
  }
}

interface Assigned {
  readonly remark: string;
  readonly folder: string;
  readonly claims: string;
  /** By folder of the module. */
  readonly owners: Map<string, number>;
  /** Of others. */
  readonly reserved: readonly number[];
}

/** By folder: the owners of the existing homes. Where two have the same owner, the first in the alphabet retains it. */
async function ownersOf(folder: string): Promise<Map<string, number>> {
  const owners = new Map<string, number>();
  const seen = new Set<number>();
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const uid = await lstat(join(folder, name, 'home')).then(
      (home) => home.uid,
      () => undefined,
    );
    if (uid === undefined || !isOwnUser(uid) || seen.has(uid)) continue;
    seen.add(uid);
    owners.set(name, uid);
  }
  return owners;
}

/** Of processes that run now: those of another server's modules, as a rule. */
async function livingUsers(): Promise<Set<number>> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const users = await Promise.all(
    pids.map((pid) =>
      lstat(join('/proc', pid)).then(
        ({ uid }) => uid,
        () => -1,
      ),
    ),
  );
  return new Set(users.filter(isOwnUser));
}

function namedUser(setting: string, passwd: string): User {
  const [, uid, gid = uid] = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(setting) ?? [];
  const user = uid === undefined ? accounts(passwd).get(setting) : { uid: Number(uid), gid: Number(gid) };
  if (user === undefined) {
    throw new UnusableUser(
      `--module-user ${JSON.stringify(setting)} is no account of /etc/passwd: name one, or give own, server or uid:gid.`,
    );
  }
  // The last number means "as it is" to the system.
  if (Math.max(user.uid, user.gid) >= 2 ** 32 - 1) {
    throw new UnusableUser(`--module-user ${JSON.stringify(setting)} is beyond the numbers that a user can have.`);
  }
  if (isOwnUser(user.uid)) {
    throw new UnusableUser(
      `--module-user ${JSON.stringify(setting)} is among the numbers that are given to services: take one below ${firstUid}.`,
    );
  }
  return user;
}

function accounts(passwd: string): Map<string, User> {
  const found = new Map<string, User>();
  for (const line of passwd.split('\n')) {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    if (/^\d+$/.test(uid) && /^\d+$/.test(gid)) found.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return found;
}
