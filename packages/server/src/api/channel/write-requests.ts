// Writes over the channel, item by item: commands, simulations, operations on alarms and function modules.
import type { AlarmOperation, ChannelRequestFields, ChannelRequestName, ItemResult } from '@telltale/schema';
import type { Logger } from 'pino';
import { type Caller, checkNamedWrite } from '../../access/index.ts';
import type { ChangedKind, DataAccess, Place } from '../data/index.ts';
import type { ModuleAccess } from '../modules/index.ts';
import { toProblem } from '../problems.ts';
import { inOrder } from './in-order.ts';
import type { Handler, Outcome } from './request-handler.ts';

type WriteName =
  | 'WriteCommands'
  | 'SimulateMeasurements'
  | 'StopSimulation'
  | 'OperateAlarms'
  | 'AckAlarms'
  | 'OperateFunctionModules';
type Simulations = ChannelRequestFields<'SimulateMeasurements'>['simulations'];
type ModuleOperation = ChannelRequestFields<'OperateFunctionModules'>['operations'][number];

export interface WriteRequestsOptions {
  readonly data: DataAccess;
  /** Throws where there are none yet. */
  readonly modules: () => ModuleAccess;
  readonly log: Logger;
}

export function writeRequests({
  data,
  modules,
  log,
}: WriteRequestsOptions): Pick<Record<ChannelRequestName, Handler>, WriteName> {
  const { measurements, commands, alarms } = data;

  /** Each item by itself; of a write, one that the client may not write to is refused. All have their place at once. */
  async function batch<Item extends { name: string }>(
    { caller }: { readonly caller: Caller },
    kind: ChangedKind,
    items: readonly Item[],
    carryOut: (item: Item) => Promise<void>,
  ): Promise<Outcome> {
    const carryOutOne = async (item: Item): Promise<ItemResult> => {
      try {
        checkNamedWrite(caller, item.name);
        await carryOut(item);
        return { name: item.name, result: true };
      } catch (error) {
        return { name: item.name, result: false, error: toProblem(error as Error, log).toJSON() };
      }
    };
    const places = items.map(({ name }) => data.order.place(kind, name));
    const inPlace = (item: Item, at: number) => (places[at] as Place).begin(() => carryOutOne(item));
    return { results: await inOrder(items, inPlace, data.slices) };
  }

  return {
    WriteCommands: (client, { writes }) =>
      batch(client, 'commands', writes as ChannelRequestFields<'WriteCommands'>['writes'], ({ name, value }) =>
        commands.write(name, value),
      ),
    SimulateMeasurements: (client, { simulations }) =>
      batch(client, 'measurements', simulations as Simulations, (each) =>
        measurements.simulate(each.name, {
          value: each.value,
          quality: each.quality,
          validForS: each['valid-for'],
          by: client.caller.author,
        }),
      ),
    StopSimulation: (client, { measurements: names }) =>
      batch(client, 'measurements', named(names as string[]), ({ name }) => measurements.stopSimulation(name)),
    OperateAlarms: (client, { operations, authority }) =>
      batch(client, 'alarms', operations as { name: string; opcode: AlarmOperation }[], ({ name, opcode }) =>
        alarms.operate(name, opcode, client.caller.authorityOr(authority as string | undefined)),
      ),
    AckAlarms: (client, { alarms: names, authority }) =>
      batch(client, 'alarms', named(names as string[]), ({ name }) =>
        alarms.operate(name, 'acknowledge', client.caller.authorityOr(authority as string | undefined)),
      ),
    OperateFunctionModules: (client, { operations }) =>
      batch(client, 'function_modules', operations as ModuleOperation[], ({ name, opcode }) =>
        modules().operate(name, opcode),
      ),
  };
}

function named(names: readonly string[]): { name: string }[] {
  return names.map((name) => ({ name }));
}
