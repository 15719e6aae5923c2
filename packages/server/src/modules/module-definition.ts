// A function module as its supervisor reads it, and what a change of it requires.
import { isDeepStrictEqual } from 'node:util';
import { type FunctionModule, parseRunMode, type RunMode, readModuleProperties } from '@telltale/schema';

export interface ModuleDefinition {
  readonly module: FunctionModule;
  readonly isEnabled: boolean;
  readonly respawn: boolean;
  readonly runMode: RunMode;
  readonly sha256: string | undefined;
  /** Of a rendering that an older version made without looking: it cannot run. The text goes after the module's name. */
  readonly fault: string | undefined;
}

export function readDefinition(module: FunctionModule): ModuleDefinition {
  const { enabled: isEnabled = true, respawn = false } = module;
  const mode = parseRunMode(module.runMode);
  const read = readModuleProperties(module.properties);
  const faults = [
    ...('fault' in mode ? [`runMode: ${mode.fault}`] : []),
    ...('faults' in read ? read.faults.map(({ property, message }) => `properties.${property}: ${message}`) : []),
  ];
  return {
    module,
    isEnabled,
    respawn,
    runMode: 'fault' in mode ? { kind: 'service' } : mode.runMode,
    sha256: 'faults' in read ? undefined : read.sha256,
    fault: faults.length === 0 ? undefined : `cannot run as it is configured: ${faults.join('; ')}`,
  };
}

/** Whether the running process has to be restarted; otherwise it goes on with the other changes. */
export function needsRestart(before: FunctionModule, after: FunctionModule): boolean {
  return !isDeepStrictEqual(partsOfProcess(before), partsOfProcess(after));
}

/** Without what its processes never see, or see as it is now. */
function partsOfProcess(module: FunctionModule): unknown {
  const { name, executable = '', debug = false, respawn = false, enabled = true, runMode = 'service' } = module;
  const { writes: _, reads: __, ...properties } = module.properties ?? {};
  return { name, executable, debug, respawn, enabled, runMode, properties, env: module.env ?? {} };
}
