// The files of secrets: empty, in the wrong place, readable by others, or not what people think that they are. What is in them
// is never shown.
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, type Finding, note, ok, quoted, wrong } from '../finding.ts';

const check = 'secrets';
const mostFiles = 1000;
const mostBytes = 65_536;
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

export const checkSecrets: Check = ({ folder, machine }) => {
  const root = join(folder, 'secrets');
  const rootMode = statSync(root, { throwIfNoEntry: false })?.mode;
  if (rootMode === undefined) return [ok(check, 'There are none.')];
  const hasModes = machine.platform !== 'win32';
  let count = 0;
  const found: Finding[] = [];
  for (const owner of namesIn(root)) {
    const place = join(root, owner);
    const stats = lstatSync(place);
    if (!stats.isDirectory()) {
      const text = `${place} belongs to no connector or provider.`;
      found.push(
        wrong(
          check,
          text,
          `mkdir -m 700 ${quoted(join(root, 'NAME'))}; mv ${quoted(place)} ${quoted(join(root, 'NAME'))}/`,
        ),
      );
      continue;
    }
    for (const name of namesIn(place).slice(0, mostFiles)) {
      count++;
      found.push(...examine(join(place, name), hasModes ? stats.mode & rootMode : 0));
    }
  }
  return found.length > 0 ? found : [ok(check, count === 0 ? 'There are none.' : `${count} of them, each in order.`)];
};

/** `entered`: the bits by which others enter its folders. */
function examine(path: string, entered: number): Finding[] {
  const stats = lstatSync(path);
  if (!stats.isFile()) {
    return [wrong(check, `${path} is not a file: links are not followed.`, `ls -l ${quoted(path)}`)];
  }
  const text = beginningOf(path);
  if (text === undefined)
    return [wrong(check, `${path} cannot be read by this user.`, `sudo chown $(id -un) ${quoted(path)}`)];
  const found: Finding[] = [];
  const [line = '', ...others] = text.split(/\r?\n/);
  const write = `printf '%s' "$SECRET" > ${quoted(path)}`;
  if (line === '') found.push(wrong(check, `The first line of ${path} is empty: that is the secret.`, write));
  if (line !== line.trim()) found.push(note(check, `The secret in ${path} begins or ends with a space.`, write));
  if (others.some((other) => other !== '') && !text.startsWith('-----BEGIN ')) {
    found.push(note(check, `${path} has several lines: only the first is the secret.`, write));
  }
  if (((stats.mode >> 2) & entered & 0o011) !== 0) {
    found.push(wrong(check, `${path} can be read by other users.`, `chmod 600 ${quoted(path)}`));
  }
  return found;
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}

function beginningOf(path: string): string | undefined {
  const bytes = Buffer.alloc(mostBytes);
  try {
    const file = openSync(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const count = readSync(file, bytes, 0, mostBytes, 0);
    closeSync(file);
    return bytes.toString('utf8', 0, count);
  } catch {
    return undefined;
  }
}
