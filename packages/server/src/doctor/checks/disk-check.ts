// The disk of the data folder: room, files, and whether its kind suits databases.
import type { StatsFs } from 'node:fs';
import { dirname } from 'node:path';
import { leastFreeBytes } from '@telltale/schema';
import { type Check, type Finding, mebibytes, note, ok, quoted, wrong } from '../finding.ts';
import type { Machine } from '../machine.ts';

const check = 'disk';
const fewInodes = 1000;
const littleShare = 0.05;

/** The numbers of Linux, by which a file system says what it is. */
const network = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
]);
const shortLived = new Map([
  [0x01021994, 'tmpfs, in memory: it is empty after the next start of the machine'],
  [0x794c7630, 'overlay, as in a container: it is gone with the container unless a volume is mounted there'],
]);

export const checkDisk: Check = async ({ machine, folder, settings }) => {
  const stats = await statfsOf(machine, folder);
  if (stats === undefined)
    return [note(check, `The system does not tell of the disk of ${folder}.`, `df ${quoted(folder)}`)];
  const [free, size] = [stats.bavail * stats.bsize, stats.blocks * stats.bsize];
  const found: Finding[] = [...room(free, size, folder), ...kinds(stats.type >>> 0, folder)];
  if (stats.files > 0 && stats.ffree < fewInodes) {
    found.push(
      wrong(check, `The disk of ${folder} has room for only ${stats.ffree} more files.`, `df -i ${quoted(folder)}`),
    );
  }
  const limit = settings['archive-max-size'];
  if (machine.platform === 'linux' && limit !== undefined && limit > size) {
    const text = `--archive-max-size allows ${mebibytes(limit)}, and the disk has ${mebibytes(size)} in all.`;
    found.push(note(check, text, `--archive-max-size ${Math.floor(size / 2 / 2 ** 20)}M`));
  }
  return found.length > 0 ? found : [ok(check, `${mebibytes(free)} of ${mebibytes(size)} are free.`)];
};

function room(free: number, size: number, folder: string): Finding[] {
  const text = `${mebibytes(free)} of ${mebibytes(size)} are free on the disk of ${folder}.`;
  const fix = `du -xh --max-depth=2 ${quoted(folder)}; or limit the archive with --archive-max-size`;
  if (free < leastFreeBytes) return [wrong(check, text, fix)];
  return free < size * littleShare ? [note(check, text, fix)] : [];
}

function kinds(type: number, folder: string): Finding[] {
  const [remote, volatile] = [network.get(type), shortLived.get(type)];
  if (remote !== undefined) {
    const text = `${folder} is on a network file system (${remote}), whose locks and syncs SQLite cannot rely on.`;
    return [wrong(check, text, '--data FOLDER on a disk of this machine')];
  }
  if (volatile === undefined) return [];
  return [note(check, `${folder} is on ${volatile}.`, '--data FOLDER on a disk')];
}

/** Of the folder, or of the nearest one above it that is there. */
async function statfsOf(machine: Machine, folder: string): Promise<StatsFs | undefined> {
  for (let path = folder; ; path = dirname(path)) {
    const found = await machine.statfs(path).catch((error: NodeJS.ErrnoException) => error);
    if (!(found instanceof Error)) return found;
    if (found.code !== 'ENOENT' || path === dirname(path)) return undefined;
  }
}
