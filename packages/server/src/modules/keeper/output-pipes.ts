// The two pipes that a run prints into. Those that Node makes are sockets, which cannot be opened by name: a script that
// writes to /dev/stderr would fail. So these are named pipes, which lose their names at once.
import { execFile } from 'node:child_process';
import { closeSync, constants, fchownSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Bounds } from './keeper-protocol.ts';

export interface OutputPipes {
  /** The ends for the process, which are closed here once it has them. */
  readonly writeEnds: readonly [number, number];
  readonly outputs: readonly [Readable, Readable];
}

const run = promisify(execFile);

/** Undefined where the disk has no named pipes. Its user may open them again by the names that the system gives them. */
export async function openPipes(folder: string, user: Bounds['user']): Promise<OutputPipes | undefined> {
  const paths = ['out', 'err'].map((name) => join(folder, `${name}.pipe`)) as [string, string];
  const opened: number[] = [];
  const open = (path: string, flags: number) => {
    const handle = openSync(path, flags);
    opened.push(handle);
    return handle;
  };
  const removeNames = () => Promise.all(paths.map((path) => rm(path, { force: true })));
  try {
    await removeNames();
    await run('mkfifo', ['-m', '600', ...paths], { env: { PATH: '/usr/bin:/bin' } });
    const readEnd = (path: string) => open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const [out, err] = [readEnd(paths[0]), readEnd(paths[1])];
    // Only now: without an end to read from, they could not be opened.
    const writeEnds = [open(paths[0], constants.O_WRONLY), open(paths[1], constants.O_WRONLY)] as const;
    if (user !== undefined) for (const handle of writeEnds) fchownSync(handle, user.uid, user.gid);
    await removeNames();
    const output = (fd: number) => new Socket({ fd, readable: true, writable: false });
    return { writeEnds, outputs: [output(out), output(err)] };
  } catch {
    for (const handle of opened) closeSync(handle);
    await removeNames().catch(() => undefined);
    return undefined;
  }
}
