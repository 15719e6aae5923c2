// Function modules of which none is ever started, for tests of other parts.
import { systemClock } from '@telltale/schema';
import pino from 'pino';
import { FunctionModules, type FunctionModulesOptions } from '../src/modules/index.ts';

export function idleModules(options: Partial<FunctionModulesOptions> = {}): FunctionModules {
  return new FunctionModules({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    processes: {
      start: () => undefined,
      stop: () => undefined,
      readLog: async () => [],
      watchLogs: () => undefined,
    },
    executables: {
      pathOf: (module) => `/nowhere/${module}`,
      uploadedAs: () => undefined,
      check: async () => undefined,
    },
    tokens: { issue: () => '', change: () => undefined, revoke: () => undefined },
    urls: () => ({ base: 'http://127.0.0.1:8080/data', channel: 'ws://127.0.0.1:8080/data/ws' }),
    boundsOf: () => ({ user: undefined, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined }),
    ...options,
  });
}
