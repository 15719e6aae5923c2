// Upgrades a data folder: copies its small files, runs the steps that it lacks, and says how to go back. Killed anywhere, the
// next start goes on. Nobody has opened the databases yet.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cannotOpen, writtenByNewer } from '../sqlite/index.ts';
import { copiesOf, copyBefore, goingBack } from './before-upgrade.ts';
import { accessFile, configurationFile, type DatabaseFile, pragma, stateFile, versionOf } from './database-files.ts';
import { formatName, readFormat, writeFormat } from './format-file.ts';
import type { Step } from './step.ts';
import { currentFormat, steps } from './steps/index.ts';

export interface UpgradeLog {
  info(text: string): void;
  warn(text: string): void;
}

const databases = [configurationFile, stateFile, accessFile];

/** Does nothing where the folder has the present format, or nothing of ours. Throws `UnusableDatabase`. */
export function upgradeFolder(folder: string, log: UpgradeLog): void {
  const stated = readFormat(folder);
  if (stated === undefined && existsSync(join(folder, formatName))) {
    log.warn(`${join(folder, formatName)} is damaged: the format is that of the databases, and is written again`);
  }
  const found = databases.map((file) => ({ name: file.name, version: versionOf(join(folder, file.name), file) }));
  const versions = [{ name: formatName, version: stated?.upgradingTo ?? stated?.format }, ...found];
  for (const { name, version = 0 } of versions) {
    if (version > currentFormat) throw writtenByNewer(join(folder, name), version, currentFormat);
  }
  const format = Math.min(stated?.format ?? currentFormat, ...found.flatMap(({ version }) => version ?? []));
  if (format >= currentFormat || format < 1) return; // below 1: opening it says what is wrong
  const isBegun = stated?.upgradingTo !== undefined && existsSync(join(folder, copiesOf(format)));
  if (!isBegun) copyBefore(folder, format);
  writeFormat(folder, { format, upgradingTo: currentFormat });
  const needed = steps.filter((step) => step.format > format);
  for (const step of needed) run(folder, step);
  writeFormat(folder, { format: currentFormat });
  log.info(
    `the data folder was upgraded from format ${format} to ${currentFormat} (${needed.map(({ summary }) => summary).join('; ')}). ` +
      `To go back to the earlier version, without what is changed from now on, stop the server and run: ${goingBack(folder, format)}`,
  );
}

/** Once all parts of the folder are open, and so are ours and of this format. */
export function stateFormat(folder: string): void {
  if (readFormat(folder)?.format === currentFormat) return;
  try {
    writeFormat(folder, { format: currentFormat });
  } catch {
    // On a full disk the databases tell, and the next start writes it.
  }
}

function run(folder: string, { format, configuration, state, access }: Step): void {
  changeDatabase(join(folder, configurationFile.name), configurationFile, format, configuration);
  changeDatabase(join(folder, stateFile.name), stateFile, format, state);
  changeDatabase(join(folder, accessFile.name), accessFile, format, access);
}

/** One that is missing is made in the present form when it is opened. */
function changeDatabase(path: string, file: DatabaseFile, format: number, change: Step['configuration']): void {
  if (versionOf(path, file) === undefined) return;
  try {
    using sqlite = new DatabaseSync(path, { defensive: true, enableDoubleQuotedStringLiterals: false });
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL');
    sqlite.exec('BEGIN IMMEDIATE');
    if (pragma(sqlite, 'user_version') < format) {
      change?.(sqlite);
      sqlite.exec(`PRAGMA user_version = ${format}`);
    }
    sqlite.exec('COMMIT');
  } catch (error) {
    throw cannotOpen(path, error);
  }
}
