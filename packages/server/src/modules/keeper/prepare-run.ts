// The folder of a module before a run: its home, and the copy of the executable that runs. So exactly what was checked
// is started, whatever happens to the upload later.
import { constants } from 'node:fs';
import { chmod, copyFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { damageOf, sumOf } from '../upload-sum.ts';
import { executableFault } from './executable-fault.ts';
import type { Launch } from './keeper-protocol.ts';
import { prepareHome } from './prepare-home.ts';

/** Why nothing is started, for people. */
export class NotStarted extends Error {
  /** It says nothing about the executable. */
  readonly mayPass: boolean;

  constructor(reason: string, mayPass = false) {
    super(reason);
    this.mayPass = mayPass;
  }
}

export interface PreparedRun {
  readonly home: string;
  /** Relative to the home: the way there may be closed to the user of the module. */
  readonly executable: string;
  /** Sentences for the log. */
  readonly missing: readonly string[];
}

const runnable = 0o755;

/** Throws `NotStarted`. No process of the module may run meanwhile. */
export async function prepareRun(folder: string, launch: Launch): Promise<PreparedRun> {
  const { module, executable, env, bounds } = launch;
  const name = basename(executable);
  try {
    const { home, bin, missing } = await prepareHome({ module, folder, user: bounds.user });
    const copy = join(bin, name);
    const incoming = join(bin, `.${name}.incoming`);
    await rm(incoming, { recursive: true, force: true });
    try {
      await copyFile(executable, incoming, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      await chmod(incoming, runnable);
      await checkSum(incoming, launch);
      // Replaces the file, not its bytes: a process that could not be ended may still run it.
      await rm(copy, { recursive: true, force: true });
      await rename(incoming, copy);
    } finally {
      await rm(incoming, { force: true });
    }
    const fault = await executableFault(copy, home, env.PATH ?? '');
    if (fault !== undefined) throw new NotStarted(fault);
    return { home, executable: `../bin/${name}`, missing };
  } catch (error) {
    if (error instanceof NotStarted) throw error;
    const refused = systemRefused(error, executable);
    const isGone = launch.uploaded !== undefined && (await sumOf(executable)) === undefined;
    throw isGone ? damaged(damageOf(launch.uploaded, undefined)) : refused;
  }
}

async function checkSum(file: string, { sha256, uploaded }: Launch): Promise<void> {
  if (sha256 === undefined && uploaded === undefined) return;
  const sum = await sumOf(file);
  const damage = uploaded && damageOf(uploaded, sum);
  if (damage !== undefined) throw damaged(damage);
  if (sha256 === undefined || sum?.sha256 === sha256) return;
  throw new NotStarted(`the SHA-256 of the executable is ${sum?.sha256}, and the property sha256 asks for ${sha256}`);
}

function damaged(damage = ''): NotStarted {
  return new NotStarted(`the executable ${damage}; put it again`);
}

const mayPass = new Set(['ENOSPC', 'EDQUOT', 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'EIO']);

/** An error of the system, in words where it is a common one. */
export function systemRefused(error: unknown, executable: string): NotStarted {
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  const noUpload = code === 'ENOENT' && path === executable;
  const reason = noUpload ? 'it has no executable: put one first' : (reasons[code] ?? message);
  return new NotStarted(reason, mayPass.has(code));
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk has no room for the copy of the executable that would run',
  EDQUOT: 'the disk has no room for the copy of the executable that would run',
  ENOEXEC: 'the system does not know how to run this file',
  E2BIG: 'its environment is too long for the system: shorten env',
  EAGAIN: 'the system allows no more processes',
  ENOMEM: 'the machine has no memory left for it',
  EMFILE: 'the system allows no more open files',
  ENFILE: 'the system allows no more open files',
};
