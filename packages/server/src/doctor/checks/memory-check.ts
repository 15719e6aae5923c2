// The memory of the machine, and whether it is swapped out.
import { type Check, mebibytes, note, ok } from '../finding.ts';
import { textOf } from '../machine.ts';

const check = 'memory';
const leastBytes = 900 * 2 ** 20;
const muchShare = 0.25;

export const checkMemory: Check = ({ machine }) => {
  const text = textOf(machine, 'proc/meminfo');
  if (text === undefined) return [ok(check, 'The system does not tell of its memory.')];
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;
  const total = of('MemTotal');
  const swapped = of('SwapTotal') - of('SwapFree');
  if (swapped > total * muchShare) {
    const said = `${mebibytes(swapped)} are swapped out, beside ${mebibytes(total)} of memory: values come late.`;
    return [note(check, said, 'free -h; ps aux --sort=-rss | head')];
  }
  if (total < leastBytes) {
    return [note(check, `The machine has ${mebibytes(total)} of memory, which is little.`, 'free -h')];
  }
  return [ok(check, `The machine has ${mebibytes(total)} of memory, and does not swap much.`)];
};
