// Function modules together with what runs them: the keeper of their processes, the users that they run as, and the order
// in which all of it begins and ends.
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type FunctionModule, readModuleProperties } from '@telltale/schema';
import { FunctionModules, type FunctionModulesOptions } from './function-modules.ts';
import type { Bounds } from './keeper/keeper-protocol.ts';
import { ModuleKeeper } from './keeper/module-keeper.ts';
import { ModuleUsers } from './keeper/module-user.ts';

export interface ModuleServiceOptions extends Omit<FunctionModulesOptions, 'processes' | 'boundsOf'> {
  readonly folder: string;
  /** The settings --module-user and --module-memory. */
  readonly user: string;
  readonly memoryBytes: number | undefined;
}

/** Of the time to close in, this part is left for the keeper itself. */
const keeperPart = 0.3;

export class ModuleService {
  readonly modules: FunctionModules;
  readonly #options: ModuleServiceOptions;
  #keeper: ModuleKeeper | undefined;
  #users: ModuleUsers | undefined;

  constructor(options: ModuleServiceOptions) {
    this.#options = options;
    this.modules = new FunctionModules({
      ...options,
      // Before it is open nothing is started, and nothing is read: the service is starting.
      processes: {
        start: (launch) => this.#keeper?.start(launch),
        stop: (run, termToKillMs) => this.#keeper?.stop(run, termToKillMs),
        readLog: async (request) => this.#keeper?.readLog(request) ?? [],
        watchLogs: (modules) => this.#keeper?.watchLogs(modules),
      },
      boundsOf: (module) => this.#boundsOf(module),
    });
  }

  /** When the data folder is taken: begins to end what a killed server has left there. Throws `UnusableUser`. */
  async open(): Promise<void> {
    const { folder: data, user: setting, clock, log } = this.#options;
    const folder = join(data, 'modules');
    const users = await ModuleUsers.open({ setting, folder });
    this.#users = users;
    const folderId = createHash('sha256')
      .update(await realpath(data))
      .digest('hex')
      .slice(0, 16);
    this.#keeper = new ModuleKeeper({
      folder,
      folderId,
      users: () => users.own,
      clock,
      log,
      events: this.modules.events,
    });
    this.#keeper.open();
  }

  /** When the service is ready: starts what is to run. */
  begin(): void {
    const { log } = this.#options;
    if (this.#users?.remark !== undefined && [...this.modules.names()].length > 0) log.warn(this.#users.remark);
    this.modules.open();
  }

  /** Until `begin`, nothing runs: another node of the site leads. */
  async hold(patienceMs: number): Promise<void> {
    await this.modules.hold(patienceMs);
  }

  /** Nothing of any module is left when it resolves. */
  async close(patienceMs: number): Promise<void> {
    const stopMs = patienceMs * (1 - keeperPart);
    const stopped = this.modules.close(stopMs);
    // A keeper that hangs reports no ends; closing it kills it where necessary, and then all ends are reported.
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(stopMs + (patienceMs - stopMs) / 2, resolve);
    await Promise.race([stopped, late]);
    cancel();
    await this.#keeper?.close(patienceMs * keeperPart);
    await stopped;
  }

  #boundsOf({ name, properties }: FunctionModule): Bounds {
    const read = readModuleProperties(properties ?? {});
    const { memoryBytes, cpuCores, maxProcesses } = 'faults' in read ? {} : read;
    return {
      user: this.#users?.userOf(name),
      memoryBytes: memoryBytes ?? this.#options.memoryBytes,
      cpuCores,
      maxProcesses,
    };
  }
}
