// format.json: which format a data folder has, and whether an upgrade of it is under way.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FolderFormat {
  readonly format: number;
  /** An upgrade from `format` was begun: what was there before it is in its copies. */
  readonly upgradingTo?: number;
}

export const formatName = 'format.json';

/** Undefined where there is no such file, or it cannot be read. */
export function readFormat(folder: string): FolderFormat | undefined {
  try {
    const { format, upgradingTo } = JSON.parse(readFileSync(join(folder, formatName), 'utf8')) as FolderFormat;
    if (!isFormat(format)) return undefined;
    return isFormat(upgradingTo) ? { format, upgradingTo } : { format };
  } catch {
    return undefined;
  }
}

/** On disk, whole, when it returns. */
export function writeFormat(folder: string, format: FolderFormat): void {
  const path = join(folder, formatName);
  writeFileSync(`${path}.tmp`, `${JSON.stringify(format)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.tmp`, path);
  syncFolder(folder);
}

export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function isFormat(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
