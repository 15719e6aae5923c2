// Files of the person at the terminal, which nobody else reads: contexts and the keyring. Small, and written whole.
import { mkdir, open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { Refused } from './declaration.ts';
import { asRefused, isSystemError, writeFileWhole } from './files.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const maxFileBytes = 1 << 20;
const fileMode = 0o600;
const folderMode = 0o700;
const ofOthers = 0o077;

/** By the XDG Base Directory Specification; on Windows, in the roaming folder of applications. */
export function personalFile(name: string, environment: Environment, platform = process.platform): string {
  const { XDG_CONFIG_HOME: xdg = '', APPDATA: roaming = '', HOME: home = '' } = environment;
  const own = join(home === '' ? homedir() : home, '.config');
  const folder = isAbsolute(xdg) ? xdg : platform === 'win32' && roaming !== '' ? roaming : own;
  return join(folder, 'telltale', name);
}

export interface PersonalFileOptions {
  /** What it has, for people. */
  readonly what: string;
  /** It is refused where others can read it; the text says what to do. */
  readonly ifOthersRead?: string;
}

/** Undefined where there is no such file. */
export async function readPersonalFile(
  file: string,
  { what, ifOthersRead }: PersonalFileOptions,
): Promise<string | undefined> {
  try {
    await using handle = await open(file);
    const { mode } = await handle.stat();
    if (ifOthersRead !== undefined && process.platform !== 'win32' && (mode & ofOthers) !== 0) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0');
      throw new Refused(`${file} is open to others (${shown}), and has ${what}: ${ifOthersRead}`);
    }
    const buffer = Buffer.alloc(maxFileBytes + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    if (bytesRead > maxFileBytes) throw new Refused(`${file} is larger than 1 MiB: it has no ${what}.`);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw asRefused(error, `${file} cannot be read`);
  }
}

/** As a whole or not at all. */
export async function writePersonalFile(file: string, content: object): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: folderMode });
  } catch (error) {
    throw asRefused(error, `${dirname(file)} cannot be made`);
  }
  const bytes = Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`);
  await writeFileWhole(
    file,
    (async function* all() {
      yield bytes;
    })(),
    fileMode,
  );
}
