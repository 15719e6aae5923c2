// How many files and connections the server may have open.
import { join } from 'node:path';
import { connectionLimits, mostFiles } from '../../api/index.ts';
import { type Check, note, ok, wrong } from '../finding.ts';
import { textOf } from '../machine.ts';

const check = 'open files';
/** With fewer there is hardly room for the files of the server itself. */
const fewest = 360;

export const checkDescriptors: Check = ({ machine, settings, serverPid = 'self' }) => {
  const limits = `proc/${serverPid}/limits`;
  if (textOf(machine, limits) === undefined) return [ok(check, 'The system does not tell of limits.')];
  const files = mostFiles(join(machine.root, limits));
  const { maxClients } = connectionLimits(files, settings['max-clients']);
  const of = serverPid === 'self' ? 'A program that you start' : `The server (process ${serverPid})`;
  const text = `${of} may have ${files} files open, which is enough for ${maxClients} clients of the channel`;
  const fix = 'LimitNOFILE=65536 in the unit of the service, or ulimit -n 65536';
  if (files < fewest) return [wrong(check, `${text}.`, fix)];
  const asked = settings['max-clients'];
  return maxClients < asked ? [note(check, `${text}, and --max-clients is ${asked}.`, fix)] : [ok(check, `${text}.`)];
};
