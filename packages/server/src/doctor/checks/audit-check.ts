// The audit trail: whether its newest records are as they were written, and who can read the key that signs them. All of it is
// verified by `telltale audit verify`: it may be long.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { keyName, trailFolder, verifyTrail } from '../../audit/index.ts';
import { type Check, type Finding, note, ok, quoted, wrong } from '../finding.ts';

const check = 'audit trail';
/** The one that is being written may have a few records only. */
const newestSegments = 2;

export const checkAudit: Check = ({ folder, machine }) => {
  if (!existsSync(join(folder, trailFolder))) return [ok(check, 'There is none yet.')];
  const { faults, faultCount, records, last, signedTo } = verifyTrail(folder, newestSegments);
  const found: Finding[] = keyFindings(join(folder, keyName), machine.platform !== 'win32');
  if (faultCount > 0) {
    const more = faultCount > 1 ? ` There are ${faultCount} faults.` : '';
    const copy = `cp -a ${quoted(join(folder, trailFolder))} to another machine, then telltale audit verify ${quoted(folder)}`;
    found.push(wrong(check, `${faults[0]}${more}`, copy));
  }
  if (found.length > 0) return found;
  return [
    ok(
      check,
      `The last ${records} records are as they were written; record ${last} is the last, ${signedTo} the last signature.`,
    ),
  ];
};

function keyFindings(path: string, hasModes: boolean): Finding[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    return [
      note(
        check,
        `${path} is missing: the next start makes another key, and signs with that.`,
        `cp -a BACKUP/${keyName} ${quoted(path)}`,
      ),
    ];
  }
  if (!hasModes || (stats.mode & 0o077) === 0) return [];
  return [
    wrong(
      check,
      `${path} can be read by other users, who can write a trail of their own with it.`,
      `chmod 600 ${quoted(path)}`,
    ),
  ];
}
