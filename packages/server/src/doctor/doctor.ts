// Looks at what people get wrong on the machine of a server, whether it runs or not. Reads, and changes nothing.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lockName } from '../data-folder.ts';
import { BadSetting, readSettings } from '../read-settings.ts';
import type { Settings } from '../settings.ts';
import { checkAudit } from './checks/audit-check.ts';
import { checkBeforeUpgrade } from './checks/before-upgrade-check.ts';
import { checkBus } from './checks/bus-check.ts';
import { checkCertificates } from './checks/certificates-check.ts';
import { checkCgroup } from './checks/cgroup-check.ts';
import { checkClock } from './checks/clock-check.ts';
import { checkDataFolder } from './checks/data-folder-check.ts';
import { checkDescriptors } from './checks/descriptors-check.ts';
import { checkDisk } from './checks/disk-check.ts';
import { checkLease } from './checks/lease-check.ts';
import { checkLock } from './checks/lock-check.ts';
import { checkMemory } from './checks/memory-check.ts';
import { checkMissingSecrets } from './checks/missing-secrets-check.ts';
import { checkNode } from './checks/node-check.ts';
import { checkPort } from './checks/port-check.ts';
import { checkSealedSecrets } from './checks/sealed-secrets-check.ts';
import { checkSecrets } from './checks/secrets-check.ts';
import { checkSettings } from './checks/settings-check.ts';
import { checkStore } from './checks/store-check.ts';
import { checkTls } from './checks/tls-check.ts';
import { type Check, type Finding, note, wrong } from './finding.ts';
import { lockHolder, type Machine } from './machine.ts';

const checks: readonly (readonly [name: string, check: Check])[] = [
  ['settings', checkSettings],
  ['data folder', checkDataFolder],
  ['lock', checkLock],
  ['port', checkPort],
  ['disk', checkDisk],
  ['clock', checkClock],
  ['open files', checkDescriptors],
  ['limits', checkCgroup],
  ['memory', checkMemory],
  ['node', checkNode],
  ['secrets', checkSecrets],
  ['secrets', checkMissingSecrets],
  ['secrets', checkSealedSecrets],
  ['copies', checkBeforeUpgrade],
  ['certificates', checkCertificates],
  ['tls', checkTls],
  ['audit trail', checkAudit],
  ['store', checkStore],
  ['bus', checkBus],
  ['lease', checkLease],
];

/** `args` are settings, as the server takes them. */
export async function examine(args: readonly string[], machine: Machine): Promise<Finding[]> {
  const { settings, fault } = settingsOf(args, machine.environment);
  const folder = resolve(settings.data);
  const lock = statSync(join(folder, lockName), { throwIfNoEntry: false });
  const serverPid = lock === undefined ? undefined : lockHolder(machine, lock.ino);
  const examined = { machine, settings, folder, serverPid };
  const found: Finding[] = fault === undefined ? [] : [wrong('settings', fault, 'npm start -- --help')];
  for (const [name, check] of checks) {
    try {
      found.push(...(await check(examined)));
    } catch (error) {
      found.push(note(name, `It cannot be looked at: ${(error as Error).message}.`, 'sudo telltale doctor'));
    }
  }
  return found;
}

/** With a setting that is wrong the rest is looked at all the same, with what can be used of them. */
function settingsOf(args: readonly string[], environment: NodeJS.ProcessEnv): { settings: Settings; fault?: string } {
  try {
    return { settings: readSettings(args, environment) };
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    const { TELLTALE_DATA } = environment;
    return { settings: readSettings([], TELLTALE_DATA ? { TELLTALE_DATA } : {}), fault: error.message };
  }
}
