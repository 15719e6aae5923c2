// Which user a function module runs as: what the setting --module-user says, and a user of its own for each module
// where it says `own`.
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Whether no account has it, and no other module where there is room. */
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
}

export class ModuleUsers {
  /** For the log, once: what the setting means here, where it is not what it says. */
  readonly remark: string | undefined;
  readonly #fixed: User | 'own' | undefined;
  readonly #ownerOf: Map<string, number>;
  readonly #taken: Set<number>;

  private constructor(
    fixed: User | 'own' | undefined,
    remark: string | undefined,
    owners: Map<string, number>,
    reserved: readonly number[],
  ) {
    this.#fixed = fixed;
    this.remark = remark;
    this.#ownerOf = owners;
    this.#taken = new Set([...owners.values(), ...reserved]);
  }

  /** Throws `UnusableUser`. */
  static async open(options: ModuleUsersOptions): Promise<ModuleUsers> {
    const { setting, folder } = options;
    const may = options.mayChangeUser ?? (await mayChangeUser());
    const passwd = await readFile(options.passwd ?? '/etc/passwd', 'utf8').catch(() => '');
    if (setting === 'server') return new ModuleUsers(undefined, undefined, new Map(), []);
    if (setting === 'own' && !may) {
      const remark = 'function modules run as the server itself: only root can give each a user of its own';
      return new ModuleUsers(undefined, remark, new Map(), []);
    }
    if (setting === 'own') {
      const dynamic = await readdir(options.dynamicUsers ?? '/run/systemd/dynamic-uid').catch(() => []);
      const reserved = [...accounts(passwd).values()].map(({ uid }) => uid).concat(dynamic.map(Number));
      return new ModuleUsers('own', undefined, await ownersOf(folder), reserved);
    }
    const user = namedUser(setting, passwd);
    if (user.uid === process.getuid?.() && user.gid === process.getgid?.()) {
      return new ModuleUsers(undefined, undefined, new Map(), []);
    }
    if (!may) {
      throw new UnusableUser(
        `--module-user ${JSON.stringify(setting)} needs a server that is root: start it as root, or without this setting.`,
      );
    }
    return new ModuleUsers(user, undefined, new Map(), []);
  }

  /** Undefined: as the server itself. Always the same for a module, also after a restart: its home remembers it. */
  userOf(module: string): User | undefined {
    if (this.#fixed !== 'own') return this.#fixed;
    const folder = moduleFolder(module);
    const uid = this.#ownerOf.get(folder) ?? this.#assign(folder);
    return { uid, gid: uid };
  }

  /** By its hash, so that a lost folder changes little; the next one where another module or an account has it. */
  #assign(folder: string): number {
    const start = createHash('sha256').update(folder).digest().readUInt32BE();
    let step = 0;
    // Where thousands of homes have taken all, two modules share one, and can read each other's home.
    while (step < uids && this.#taken.has(firstUid + ((start + step) % uids))) step++;
    const uid = firstUid + ((start + step) % uids);
    this.#taken.add(uid);
    this.#ownerOf.set(folder, uid);
    return uid;
  }
}

/** By folder: who owns the homes that are there. Where two have the same owner, the first in the alphabet keeps it. */
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
