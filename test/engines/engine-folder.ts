// A folder for an engine that a test starts. Every process that works in it ends with it, also where the process of the test is killed
// and nobody else is left to end them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { type PeerUser, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

/**
 * Waits for a line, after which there is nothing to do, or for the end of its input without one: this process is gone then. In a
 * session of its own and nobody's child, so that what ends this process and its children does not end it.
 */
const guard = `
(
  trap '' HUP INT TERM
  read -r _ <&3 && exit
  for round in 1 2 3 4 5 6 7 8 9 10; do
    found=
    for process in /proc/[0-9]*; do
      case "$(readlink "$process/cwd" 2> /dev/null)" in
        "$1" | "$1"/*) kill -9 "\${process#/proc/}" 2> /dev/null; found=1 ;;
      esac
    done
    [ "$found" ] || break
    sleep 0.05
  done
  umount -l "$1" 2> /dev/null
  rm -rf "$1"
) &
`;
const nobody = 65534;

/** Of a user who runs engines: `postgres` and others refuse root. Undefined where this process is not root's. */
export function engineUser(): PeerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u') || nobody, gid: idOf('-g') || nobody };
}

/** Belongs to the user who runs engines. */
export function engineFolder(scope: Scope, folder = temporaryFolder(scope)): string {
  const user = engineUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const { PATH } = process.env;
  const child = spawn('sh', ['-c', guard, 'sh', folder], {
    cwd: '/',
    detached: true,
    env: { PATH: `${PATH}:/usr/sbin:/sbin` },
    // Not its standard input, which Node closes when the first of the two shells has ended.
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  child.unref();
  const [said, told] = [child.stdio[1] as Socket, child.stdio[3] as Socket];
  // A process that has nothing else to do ends.
  said.unref();
  told.unref();
  const closed = once(said.resume(), 'close');
  cleanupOf(scope).defer(async () => {
    said.ref();
    await killAll(folder);
    told.end('over\n');
    await closed;
  });
  return folder;
}

/** Those that work in the folder or below, whoever started them and whatever they call themselves. */
export function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isWithin(folder, workingFolder(name)))
    .map(Number);
}

/** Stands still from when it resolves, until `thawAll`. */
export async function freezeAll(folder: string): Promise<void> {
  await until(`everything in ${folder} stands still`, () => {
    const moving = processesIn(folder).filter((pid) => !isStopped(pid));
    for (const pid of moving) signalProcess(pid, 'SIGSTOP');
    return moving.length === 0;
  });
}

export function thawAll(folder: string): void {
  for (const pid of processesIn(folder)) signalProcess(pid, 'SIGCONT');
}

/** As a machine that loses its power. */
export async function killAll(folder: string): Promise<void> {
  await until(`nothing runs in ${folder}`, () => {
    const running = processesIn(folder);
    for (const pid of running) signalProcess(pid, 'SIGKILL');
    return running.length === 0;
  });
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended meanwhile
  }
}

function isStopped(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.[0] === 'T';
  } catch {
    return true; // it has ended meanwhile
  }
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function workingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ''; // it has ended, or is not ours to look at
  }
}
