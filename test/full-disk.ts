// Disks that take nothing for a while: a file system that is full, and a limit on the size of files that is set on the
// running process; and a server on one of them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { ServerProcess } from './server-process.ts';

/** Takes the disk away from a running server, and gives it back. */
export interface Disk {
  readonly data: string;
  fill(server: ServerProcess): void;
  free(server: ServerProcess): void;
}

export interface SmallDisk extends Disk {
  readonly folder: string;
  fill(server?: ServerProcess): void;
  free(server?: ServerProcess): void;
  /** Of a disk that is full: makes room for so many bytes. */
  leave(bytes: number): void;
}

function works(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A file system in memory, or why there cannot be one. */
export function smallFileSystem(t: Scope, mebibytes = 2): SmallDisk | string {
  const folder = temporaryFolder(t);
  const mounted = works('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]);
  cleanupOf(t).defer(() => {
    if (mounted) works('umount', ['-l', folder]);
  });
  if (!mounted) return 'a file system cannot be mounted here: root may, where the machine lets it';
  const ballast = join(folder, 'ballast');
  return {
    folder,
    data: join(folder, 'data'),
    fill() {
      for (let size = 1 << 20; size >= 1; size >>= 1) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size, 1), { flag: 'a' });
        } catch (error) {
          assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
        }
      }
    },
    free: () => rmSync(ballast),
    leave: (bytes) => truncateSync(ballast, statSync(ballast).size - bytes),
  };
}

/** No file of the process may grow beyond nothing; or why that cannot be told to it. */
function limitedFiles(t: Scope): Disk | string {
  const folder = temporaryFolder(t);
  if (!works('prlimit', ['--version'])) return 'prlimit, of util-linux, is not installed';
  const limit = (server: ServerProcess, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:`]);
  return {
    data: join(folder, 'data'),
    fill: (server) => limit(server, '0'),
    free: (server) => limit(server, 'unlimited'),
  };
}

export const disks = { 'is full': smallFileSystem, 'refuses every write': limitedFiles };

export interface Plant {
  ask(method: string, path: string): Promise<{ status: number; detail: string }>;
  read<Body>(path: string): Promise<Body>;
  figure(name: string): Promise<number>;
}

export function plantOf({ url }: ServerProcess): Plant {
  return {
    async ask(method, path) {
      const response = await fetch(url + path, { method });
      const text = await response.text();
      return { status: response.status, detail: text === '' ? '' : (JSON.parse(text).detail ?? '') };
    },
    read: async <Body>(path: string) => (await (await fetch(`${url}/data${path}`)).json()) as Body,
    async figure(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^telltale_${name} (.*)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    },
  };
}
