// The folders of a module before it is started: its home, which is its user's, and the folder of what runs, which is
// the server's. A module can put anything into its home: nothing in there is ever followed.
import { constants } from 'node:fs';
import { chmod, chown, type FileHandle, lchown, lstat, mkdir, open, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bounds } from './keeper-protocol.ts';

type User = NonNullable<Bounds['user']>;

export interface HomeFolders {
  /** Its working directory, and HOME. */
  readonly home: string;
  /** Where the copy goes that runs, as `../bin/x`: beside the home, so that a module can neither change nor replace it. */
  readonly bin: string;
  /** Sentences for the log. */
  readonly missing: readonly string[];
}

export interface HomeRequest {
  readonly module: string;
  /** The one of the module, in the folder of all modules, in the data folder. */
  readonly folder: string;
  readonly user: User | undefined;
}

const maxDepth = 64;
const asFolder = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Makes them where they are missing. No process of the module runs meanwhile. Rejects with what the system says. */
export async function prepareHome({ module, folder, user }: HomeRequest): Promise<HomeFolders> {
  const home = join(folder, 'home');
  const bin = join(folder, 'bin');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const path of [home, bin]) await makeFolder(path);
  await giveBin(bin, user);
  await giveHome(home, user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
  const closed = user === undefined ? undefined : await openWay(folder, user);
  const missing =
    closed === undefined
      ? []
      : [
          `${module} cannot reach its home by its full path, as most interpreters do: ${closed} is closed to it. ` +
            'Open it (chmod o+x), or take another data folder.',
        ];
  return { home, bin, missing };
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is not a folder`);
}

/** For its user to read, by the group, and for no other module: programs have secrets in them. */
async function giveBin(path: string, user: User | undefined): Promise<void> {
  if (user !== undefined) await chown(path, process.getuid?.() ?? 0, user.gid);
  await chmod(path, user === undefined ? 0o700 : 0o750);
}

async function giveHome(path: string, user: User): Promise<void> {
  if (process.platform === 'win32') return;
  await using home = await open(path, asFolder);
  const { uid, gid } = await home.stat();
  if (uid !== user.uid || gid !== user.gid) {
    await giveContent(home, uid, user, 0);
    await home.chown(user.uid, user.gid);
  }
  await home.chmod(0o700);
}

/**
 * What its former user had, after the setting was changed or a backup brought back. By handles: a path could lead
 * elsewhere by the time it is used. A file with a second name may be somebody else's by that name, and is left.
 */
async function giveContent(folder: FileHandle, from: number, to: User, depth: number): Promise<void> {
  if (process.platform !== 'linux' || depth > maxDepth) return;
  const here = `/proc/self/fd/${folder.fd}`;
  for (const entry of await readdir(here, { withFileTypes: true })) {
    const path = join(here, entry.name);
    if (entry.isDirectory()) {
      await using inner = await open(path, asFolder);
      await giveContent(inner, from, to, depth + 1);
      if ((await inner.stat()).uid === from) await inner.chown(to.uid, to.gid);
      continue;
    }
    const { uid, nlink } = await lstat(path);
    if (uid === from && nlink === 1) await lchown(path, to.uid, to.gid);
  }
}

/**
 * Lets another user pass on the way to its home, and see nothing: Python, Node and others open their program, and what
 * is in HOME, by full paths. Gives the first folder on the way that does not let this user pass.
 */
async function openWay(folder: string, user: User): Promise<string | undefined> {
  const modules = await realpath(dirname(folder));
  const data = dirname(modules);
  await chmod(folder, 0o711);
  await chmod(modules, 0o711);
  await openDataFolder(data, modules);
  for (let path = data; path !== dirname(path); path = dirname(path)) {
    if (!(await canPass(path, user))) return path;
  }
  return undefined;
}

/**
 * Everything else in a folder that was closed to others is closed by itself before they may pass, which changes nothing
 * for anybody; and at each start, since people put secrets there. A folder that others may list is left: its owner has
 * decided who sees what.
 */
async function openDataFolder(data: string, modules: string): Promise<void> {
  const { mode } = await stat(data);
  if ((mode & 0o066) !== 0) return;
  for (const name of await readdir(data)) {
    const path = join(data, name);
    const entry = path === modules ? undefined : await lstat(path).catch(() => undefined);
    if (entry === undefined || entry.isSymbolicLink() || (entry.mode & 0o077) === 0) continue;
    await chmod(path, entry.mode & 0o7700);
  }
  if ((mode & 0o011) !== 0o011) await chmod(data, (mode & 0o7777) | 0o011);
}

async function canPass(path: string, user: User): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
