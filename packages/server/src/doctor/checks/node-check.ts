// Node: its version, and flags that change how the server runs.
import { type Check, note, ok } from '../finding.ts';

const check = 'node';
const leastHeapMiB = 512;

export const checkNode: Check = ({ machine }) => {
  const flags = [...machine.nodeFlags, ...(machine.environment.NODE_OPTIONS ?? '').split(/\s+/)].filter(
    (each) => each !== '',
  );
  const found = flags.flatMap((flag) => {
    if (/^--inspect/.test(flag)) {
      return note(check, `${flag} opens a port through which anybody who reaches it runs code.`, 'unset NODE_OPTIONS');
    }
    const [, size] = /^--max[-_]old[-_]space[-_]size=(\d+)$/.exec(flag) ?? [];
    if (size !== undefined && Number(size) < leastHeapMiB) {
      return note(check, `${flag} leaves the server little memory.`, 'unset NODE_OPTIONS');
    }
    return [];
  });
  return found.length > 0 ? found : [ok(check, `Node ${process.versions.node} is fit for it.`)];
};
