// How much of the machine the processes of each run use, from one look at them to the next.
import type { Members } from './census.ts';
import type { CgroupUsage } from './cgroup.ts';
import type { Usage } from './keeper-protocol.ts';
import { readMemory, ticksPerSecond } from './process-table.ts';

export class UsageMeter {
  #ticks = new Map<string, number>();
  #cpuUs = new Map<number, number>();
  #atMs: number;

  constructor(atMs: number) {
    this.#atMs = atMs;
  }

  /**
   * Where a run has a control group, what this counts is right; else what processes share is counted for each, and what
   * one used that has ended since the last look is not: it cannot be measured.
   */
  measure(members: Members, groups: ReadonlyMap<number, CgroupUsage>, atMs: number): Map<number, Usage> {
    const seconds = Math.max(0.001, (atMs - this.#atMs) / 1000);
    const ticks = new Map<string, number>();
    const usages = new Map<number, Usage>();
    for (const [run, processes] of members) {
      let used = 0;
      let memoryBytes = 0;
      for (const { pid, startTicks, cpuTicks } of processes) {
        const key = `${pid} ${startTicks}`;
        ticks.set(key, cpuTicks);
        used += cpuTicks - (this.#ticks.get(key) ?? 0);
        memoryBytes += readMemory(pid);
      }
      usages.set(run, { cores: used / ticksPerSecond / seconds, memoryBytes, processes: processes.length });
    }
    for (const [run, { cpuUs, memoryBytes }] of groups) {
      const looked = usages.get(run);
      if (looked === undefined) continue;
      const cores = (cpuUs - (this.#cpuUs.get(run) ?? 0)) / 1e6 / seconds;
      usages.set(run, { ...looked, cores, memoryBytes: memoryBytes ?? looked.memoryBytes });
    }
    this.#cpuUs = new Map(groups.entries().map(([run, { cpuUs }]) => [run, cpuUs]));
    this.#ticks = ticks;
    this.#atMs = atMs;
    return usages;
  }
}
