// The copies that upgrades have made of the small files: as secret as the data folder was then, and of use for going back alone.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { copiesFolder } from '../../upgrade/index.ts';
import { type Check, note, ok, quoted } from '../finding.ts';

const check = 'copies';

export const checkBeforeUpgrade: Check = ({ folder }) => {
  const place = join(folder, copiesFolder);
  if (!hasFiles(place)) return [ok(check, 'There are none of before an upgrade.')];
  const text = `${place} has the files of before an upgrade, in which passwords of connectors may be in the clear: delete it when you will not go back.`;
  return [note(check, text, `rm -r ${quoted(place)}`)];
};

function hasFiles(place: string): boolean {
  try {
    return readdirSync(place).length > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
