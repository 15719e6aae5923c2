// The limits of the control group that the server runs in: memory, processors, processes.
import { posix } from 'node:path';
import { type Check, type Finding, mebibytes, note, ok, wrong } from '../finding.ts';
import { type Machine, textOf } from '../machine.ts';

const check = 'limits';
const MiB = 2 ** 20;
const memory = { wrong: 256 * MiB, note: 768 * MiB };
const tasks = { wrong: 64, note: 256 };

export const checkCgroup: Check = ({ machine, serverPid = 'self' }) => {
  const [, group] = /^0::(\/.*)$/m.exec(textOf(machine, `proc/${serverPid}/cgroup`) ?? '') ?? [];
  if (group === undefined) return [ok(check, 'There is no control group with limits.')];
  const found = [
    ...below('memory', leastOf(machine, group, 'memory.max'), memory, mebibytes, 'MemoryMax=2G'),
    ...below('tasks', leastOf(machine, group, 'pids.max'), tasks, String, 'TasksMax=4096'),
    ...processors(leastCores(machine, group)),
  ];
  return found.length > 0 ? found : [ok(check, 'The control group leaves enough memory, processes and processors.')];
};

function below(
  what: string,
  limit: number,
  least: { readonly wrong: number; readonly note: number },
  shown: (amount: number) => string,
  fix: string,
): Finding[] {
  if (limit >= least.note) return [];
  const text = `The control group allows ${shown(limit)} of ${what}; ${shown(least.note)} or more are advisable.`;
  return [
    (limit < least.wrong ? wrong : note)(
      check,
      text,
      `${fix} in the unit of the service, or the limits of the container`,
    ),
  ];
}

function processors(cores: number): Finding[] {
  if (cores >= 1) return [];
  const text = `The control group allows ${cores.toFixed(2)} of a processor: the server stalls whenever that is used up.`;
  return [note(check, text, 'CPUQuota=200% in the unit of the service, or the limits of the container')];
}

/** Of the group and all above it; infinite where there is no limit. */
function leastOf(machine: Machine, group: string, file: string): number {
  return Math.min(...groupsOf(group).map((each) => amountOf(textOf(machine, `sys/fs/cgroup${each}/${file}`))));
}

function leastCores(machine: Machine, group: string): number {
  const quotas = groupsOf(group).map((each) => {
    const [quota, period] = (textOf(machine, `sys/fs/cgroup${each}/cpu.max`) ?? '').trim().split(' ');
    return amountOf(quota) / (Number(period) || 100_000);
  });
  return Math.min(...quotas);
}

function amountOf(text: string | undefined): number {
  const [, digits] = /^\s*(\d+)\s*$/.exec(text ?? '') ?? [];
  return digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
}

function groupsOf(group: string): string[] {
  const groups: string[] = [];
  for (let each = posix.normalize(group); each !== '/' && each !== '.'; each = posix.dirname(each)) groups.push(each);
  return [...groups, ''];
}
