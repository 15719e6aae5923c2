// One function module. Nothing runs it yet, so that it is stopped.
import {
  type Clock,
  type FunctionModule,
  type FunctionModuleStatus,
  type LiveFunctionModule,
  toTimestamp,
} from '@telltale/schema';

/** A connection of the module to the channel. */
export interface ModuleConnection {
  closed(): void;
}

export class ModuleSupervisor {
  readonly #module: FunctionModule;
  readonly #sinceUs: number;

  constructor(clock: Clock, module: FunctionModule) {
    this.#module = module;
    this.#sinceUs = clock.now();
  }

  status(): FunctionModuleStatus {
    return {
      name: this.#module.name,
      state: 'STOP',
      since: toTimestamp(this.#sinceUs),
      pid: null,
      restarts: 0,
      'exit-code': null,
      'exit-signal': null,
      'last-error': null,
      'next-start': null,
      status: null,
    };
  }

  live(): LiveFunctionModule {
    const { enabled = true, runMode = 'service' } = this.#module;
    return { ...this.status(), enabled, 'run-mode': runMode, cpu: null, memory: null, processes: null };
  }
}
