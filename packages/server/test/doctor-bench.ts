// A machine for the checks of the doctor: a real data folder, and a root with the files of the system that a test gives it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Check, Examined } from '../src/doctor/finding.ts';
import { type Machine, thisMachine } from '../src/doctor/machine.ts';
import { readSettings } from '../src/read-settings.ts';

export interface BenchOptions {
  /** Of the server, such as `--port=1`. */
  readonly settings?: readonly string[];
  /** By path from the root: `proc/meminfo`. */
  readonly system?: Readonly<Record<string, string>>;
  readonly serverPid?: number;
  readonly machine?: Partial<Machine>;
}

/** 2026-01-01. */
export const nowUs = 1_767_225_600_000_000;

export function doctorBench(t: TestContext, options: BenchOptions = {}): Examined {
  const { settings = [], system = {}, serverPid, machine } = options;
  const root = temporaryFolder(t);
  for (const [path, text] of Object.entries(system)) put(join(root, path), text);
  const folder = temporaryFolder(t);
  return {
    machine: {
      ...thisMachine({}, []),
      root,
      platform: 'linux',
      clock: new ManualClock(nowUs),
      run: async () => undefined,
      ...machine,
    },
    settings: readSettings([...settings], {}),
    folder,
    serverPid,
  };
}

export function put(path: string, content: string | Uint8Array, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, content, { mode });
}

/** Level and text of each finding, with `FOLDER` for the data folder. */
export async function found(check: Check, examined: Examined): Promise<string[]> {
  const findings = await check(examined);
  return findings.map(({ level, text }) => `${level}: ${text.replaceAll(examined.folder, 'FOLDER')}`);
}
