// What everybody's operations pass, made for this service: the gate, and for clients of providers what stands in its place. Both
// record, and both look at what has to be confirmed.
import type { Clock, ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import type { Access } from './access/index.ts';
import type { ConfigurationDatabase } from './cfgdb/index.ts';
import type { FunctionModules } from './modules/index.ts';
import {
  areasOf,
  Confirmations,
  Gate,
  type Guarded,
  type LiveData,
  RecordedClients,
  Recording,
  type StackAccess,
  type Trail,
} from './operations/index.ts';
import type { ShownFamilies } from './pictures/index.ts';
import type { Settings } from './settings.ts';

export interface ServiceGateOptions {
  readonly settings: Settings;
  readonly data: LiveData;
  readonly instances: StackAccess;
  readonly modules: FunctionModules;
  readonly shown: ShownFamilies;
  readonly access: Access;
  readonly trail: Trail;
  readonly cfgdb: ConfigurationDatabase;
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  readonly writeRefusal: (operation: Guarded) => ProblemError | undefined;
  readonly onChanging: (operation: Guarded, work: Promise<unknown>) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ServiceGate {
  readonly gate: Gate;
  readonly clients: RecordedClients;
  readonly confirmations: Confirmations;
}

export function createGate(options: ServiceGateOptions): ServiceGate {
  const {
    settings,
    data,
    instances,
    modules,
    access,
    trail,
    cfgdb,
    unavailable,
    writeRefusal,
    onChanging,
    clock,
    log,
  } = options;
  const areaOf = areasOf(data, instances, modules, options.shown);
  const recording = new Recording({ trail, rendering: () => cfgdb.figures?.running, areaOf, clock });
  const confirmations = new Confirmations(settings, data.commands);
  return {
    gate: new Gate({ unavailable, writeRefusal, onChanging, areaOf, recording, log }),
    clients: new RecordedClients({ recording, confirmations, access, areaOf }),
    confirmations,
  };
}
