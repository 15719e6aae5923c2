// The settings that `telltale site enrol` has left in the data folder.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { busSettingsName } from './enrolment/files/index.ts';
import type { SettingName } from './settings.ts';

const files: ReadonlySet<SettingName> = new Set(['bus-ca', 'bus-cert', 'bus-key']);
const names: ReadonlySet<SettingName> = new Set([...files, 'bus', 'bus-role', 'site']);

/** Files are named from the data folder. None where nothing was left; an error, for people, where it is not as it was written. */
export function enrolledSettings(data: string): ReadonlyMap<SettingName, string> | Error {
  const path = join(data, busSettingsName);
  const text = readIfThere(path);
  const found = new Map<SettingName, string>();
  for (const [key, value] of text === undefined ? [] : entriesIn(text)) {
    const name = key as SettingName;
    if (!names.has(name) || typeof value !== 'string') {
      return new Error(`${path} is not as telltale site enrol writes it: enrol again, or remove it.`);
    }
    found.set(name, files.has(name) ? resolve(data, value) : value);
  }
  return found;
}

/** Why the data folder cannot be read is said by whoever takes it. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function entriesIn(json: string): [name: string, value: unknown][] {
  try {
    return Object.entries(Object(JSON.parse(json)) as object);
  } catch {
    return [['', undefined]];
  }
}
