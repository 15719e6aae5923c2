// Secrets that are sealed in variables, and that no key of this server opens; while no server runs, since a running one says it itself.
import { BadKey, readKeys, Seal, storedIn } from '../../secrets/index.ts';
import { type Check, ok, wrong } from '../finding.ts';
import { storedVariables } from '../stored-variables.ts';

const check = 'secrets';
const mostListed = 3;

export const checkSealedSecrets: Check = (examined) => {
  const { settings, folder: data, machine } = examined;
  const sealed = storedVariables(examined, 'sealed:1:').filter(({ value }) => storedIn(value).length > 0);
  if (sealed.length === 0) return [];
  let seal: Seal;
  try {
    const credentials = machine.environment.CREDENTIALS_DIRECTORY;
    seal = new Seal(readKeys({ file: settings['secret-key-file'], credentials, data }).keys);
  } catch (error) {
    if (!(error instanceof BadKey)) throw error;
    return [wrong(check, error.message, 'openssl rand -base64 32')];
  }
  const closed = sealed.filter(({ value }) => !storedIn(value).every((stored) => seal.opens(stored)));
  if (closed.length === 0) return [ok(check, 'The key opens all that stand in variables.')];
  const owners = [...new Set(closed.map(({ role, owner }) => `${role} ${owner}`))];
  const more = owners.length > mostListed ? ` and ${owners.length - mostListed} more` : '';
  return [
    wrong(
      check,
      `No key of --secret-key-file opens the secrets of ${owners.slice(0, mostListed).join(', ')}${more}.`,
      'add the key with which they were sealed to the file, as another line; or set the secrets anew',
    ),
  ];
};
