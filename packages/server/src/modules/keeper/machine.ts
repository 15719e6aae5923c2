// What this machine can hold of the bounds of a module: read once by the keeper, which hands it to `confine`.
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Hard limits of this process: no process without privileges can exceed them. `Infinity` where there is no limit. */
export interface HardLimits {
  readonly openFiles: number;
  readonly processes: number;
  readonly dataBytes: number;
}

/** The path of a program is undefined where it is not there, or does not do what is asked of it. */
export interface Machine {
  /** As `confine` begins it, options included: they differ between util-linux and busybox. */
  readonly setpriv: readonly string[] | undefined;
  readonly prlimit: string | undefined;
  readonly nice: string | undefined;
  readonly limits: HardLimits;
}

// Not those of PATH: a module may name its own.
const programFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];
const probeMs = 5000;

/** Bits of CapEff: CAP_CHOWN, CAP_SETGID, CAP_SETUID. Root has them all, unless a container or a unit took them. */
const capabilitiesOfUsers = (1n << 0n) | (1n << 6n) | (1n << 7n);

export async function readMachine(): Promise<Machine> {
  const [setpriv, prlimit, nice, limits] = await Promise.all([
    findSetpriv(),
    findProgram('prlimit', ['--core=0', '--nofile=64', '--nproc=64', '--data=268435456']),
    findProgram('nice', ['-n', '10']),
    readFile('/proc/self/limits', 'utf8').catch(() => ''),
  ]);
  return { setpriv, prlimit: prlimit?.[0], nice: nice?.[0], limits: hardLimits(limits) };
}

/** Whether processes may be given another user, and files another owner. */
export async function mayChangeUser(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return process.getuid?.() === 0 && (effective & capabilitiesOfUsers) === capabilitiesOfUsers;
}

export function hardLimits(text: string): HardLimits {
  const hard = (name: string) => {
    const found = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)\\s`, 'm').exec(text)?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  };
  return {
    openFiles: hard('Max open files'),
    processes: hard('Max processes'),
    dataBytes: hard('Max data size'),
  };
}

async function findSetpriv(): Promise<readonly string[] | undefined> {
  // That of busybox knows no capability by the name of all.
  return (
    (await findProgram('setpriv', ['--inh-caps=-all', '--no-new-privs'])) ??
    (await findProgram('setpriv', ['--no-new-privs']))
  );
}

/** Its path and the options, if it starts a program with them: tested, since the text of --help is no contract. */
async function findProgram(name: string, options: readonly string[]): Promise<readonly string[] | undefined> {
  const target = await findPath('true');
  const path = await findPath(name);
  if (path === undefined || target === undefined) return undefined;
  return new Promise((resolve) => {
    execFile(path, [...options, target], { env: {}, timeout: probeMs }, (error) =>
      resolve(error === null ? [path, ...options] : undefined),
    );
  });
}

async function findPath(name: string): Promise<string | undefined> {
  for (const folder of programFolders) {
    const path = join(folder, name);
    if (await canRun(path)) return path;
  }
  return undefined;
}

async function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
