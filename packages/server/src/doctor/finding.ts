// What one check of the doctor has found, and what the checks look at.
import type { Settings } from '../settings.ts';
import type { Machine } from './machine.ts';

export interface Finding {
  /** Such as port or disk. */
  readonly check: string;
  /** wrong: the server does not start or work with it. note: it may be meant so, and has led others into trouble. */
  readonly level: 'ok' | 'note' | 'wrong';
  /** One sentence. */
  readonly text: string;
  /** A command, or what to set; null where nothing is to be done. */
  readonly fix: string | null;
}

export interface Examined {
  readonly machine: Machine;
  readonly settings: Settings;
  /** The data folder, absolute. */
  readonly folder: string;
  /** Of the server that has the folder; undefined where none runs, or that cannot be known. */
  readonly serverPid: number | undefined;
}

/** Reads, and changes nothing. */
export type Check = (examined: Examined) => Finding[] | Promise<Finding[]>;

export const ok = (check: string, text: string): Finding => ({ check, level: 'ok', text, fix: null });
export const note = (check: string, text: string, fix: string): Finding => ({ check, level: 'note', text, fix });
export const wrong = (check: string, text: string, fix: string): Finding => ({ check, level: 'wrong', text, fix });

/** As a word of a shell. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

export function mebibytes(bytes: number): string {
  return bytes >= 10 * 2 ** 30 ? `${Math.round(bytes / 2 ** 30)} GiB` : `${Math.floor(bytes / 2 ** 20)} MiB`;
}
