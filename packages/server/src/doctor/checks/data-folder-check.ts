// The data folder: whether it is there, whose it is, who may look into it, and of which format it is.
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { currentFormat, readFormat } from '../../upgrade/index.ts';
import { filesIn } from '../files-in.ts';
import { type Check, type Examined, type Finding, note, ok, quoted, wrong } from '../finding.ts';

const check = 'data folder';
/** The files of the server itself are in these; homes of function modules may belong to users of their own. */
const own = ['.', 'archive'];
const all = constants.R_OK | constants.W_OK | constants.X_OK;

export const checkDataFolder: Check = (examined) => {
  const { folder } = examined;
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [missing(folder)];
  if (!stats.isDirectory()) return [wrong(check, `${folder} is not a folder.`, '--data FOLDER')];
  const refusal = refusalOf(folder);
  if (refusal !== undefined) return [refused(folder, refusal)];
  const found = [...owners(examined, stats), ...modes(examined, stats), ...formats(folder)];
  return found.length > 0 ? found : [ok(check, `${folder} is there, is writable, and of format ${currentFormat}.`)];
};

function missing(folder: string): Finding {
  let parent = dirname(folder);
  while (statSync(parent, { throwIfNoEntry: false }) === undefined) parent = dirname(parent);
  if (refusalOf(parent) === undefined) {
    return note(check, `${folder} is not there: the first start makes it, with the demo plant.`, '--data FOLDER');
  }
  const make = `sudo install -d -m 700 -o $(id -un) ${quoted(folder)}`;
  return wrong(check, `${folder} is not there, and cannot be made: ${parent} is not writable.`, make);
}

function refused(folder: string, code: string): Finding {
  if (code === 'EROFS') {
    return wrong(
      check,
      `${folder} is mounted read-only.`,
      `sudo mount -o remount,rw $(findmnt -nT ${quoted(folder)} -o TARGET)`,
    );
  }
  return wrong(
    check,
    `${folder} may not be read and written by this user (${code}).`,
    `sudo chown -R $(id -un) ${quoted(folder)}`,
  );
}

function refusalOf(path: string): string | undefined {
  try {
    accessSync(path, all);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

function owners({ machine, folder }: Examined, { uid }: Stats): Finding[] {
  if (machine.uid === undefined) return [];
  if (uid !== machine.uid) {
    const as = `sudo -u '#${uid}' telltale doctor`;
    return [
      note(
        check,
        `${folder} belongs to user ${uid}, and you are user ${machine.uid}: the server should be that user.`,
        as,
      ),
    ];
  }
  const foreign = own.flatMap((name) => filesIn(join(folder, name))).find((path) => ownerOf(path) !== uid);
  if (foreign === undefined) return [];
  const text = `${foreign} belongs to user ${ownerOf(foreign)}, so that the server may not be able to write it.`;
  return [wrong(check, text, `sudo chown -R --reference=${quoted(folder)} ${quoted(foreign)}`)];
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid;
}

function modes({ machine, folder }: Examined, { mode }: Stats): Finding[] {
  if (machine.platform === 'win32' || (mode & 0o077) === 0) return [];
  const octal = (mode & 0o777).toString(8);
  return [note(check, `${folder} is open to other users (mode ${octal}).`, `chmod 700 ${quoted(folder)}`)];
}

function formats(folder: string): Finding[] {
  const stated = readFormat(folder);
  if (stated === undefined) return [];
  const { format, upgradingTo } = stated;
  if (Math.max(format, upgradingTo ?? 0) > currentFormat) {
    const text = `${folder} is of format ${upgradingTo ?? format}, and this version knows ${currentFormat}: a newer one has used it.`;
    return [wrong(check, text, 'install that version again, or give another folder with --data')];
  }
  if (format === currentFormat) return [];
  const text = `${folder} is of format ${format}: the next start upgrades it to ${currentFormat}.`;
  return [note(check, text, `cp -a ${quoted(folder)} ${quoted(`${folder}.before`)}`)];
}
