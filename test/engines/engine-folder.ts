// A folder for an engine that a test starts. Every process that works in it ends with it, also where the process of the test is killed
// and nobody else is left to end them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { type PeerUser, until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

/**
 * Waits for the end of its input, which is the end of this process if not before. In a session of its own and nobody's child, so that
 * what ends this process and its children does not end it.
 */
const guard = `
(
  trap '' HUP INT TERM
  read -r _ <&3
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
    told.end();
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

/** To all of them; each is signalled once, and those that appear meanwhile as well. */
export function signalAll(folder: string, signal: NodeJS.Signals): void {
  const signalled = new Set<number>();
  for (;;) {
    const others = processesIn(folder).filter((pid) => !signalled.has(pid));
    if (others.length === 0) return;
    for (const pid of others) {
      signalled.add(pid);
      signalProcess(pid, signal);
    }
  }
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
