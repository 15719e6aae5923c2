// Writes over the channel, item by item: commands, simulations, operations on alarms and function modules.
import type { AlarmOperation, ChannelRequestFields, ChannelRequestName, ItemResult } from '@telltale/schema';
import type { Logger } from 'pino';
import { type Caller, checkNamedWrite } from '../../access/index.ts';
import type { DataAccess } from '../data/index.ts';
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
  /** Each item by itself; of a write, one that the client may not write to is refused. */
  async function batch<Item extends { name: string }>(
    { caller }: { readonly caller: Caller },
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
    return { results: await inOrder(items, carryOutOne, data.slices) };
  }

  return {
    WriteCommands: (client, { writes }) =>
      batch(client, writes as ChannelRequestFields<'WriteCommands'>['writes'], ({ name, value }) =>
        data.writeCommand(name, value),
      ),
    SimulateMeasurements: (client, { simulations }) =>
      batch(client, simulations as ChannelRequestFields<'SimulateMeasurements'>['simulations'], (each) =>
        data.simulate(each.name, {
          value: each.value,
          quality: each.quality,
          validForS: each['valid-for'],
          by: client.caller.author,
        }),
      ),
    StopSimulation: (client, { measurements }) =>
      batch(client, named(measurements as string[]), ({ name }) => data.stopSimulation(name)),
    OperateAlarms: (client, { operations, authority }) =>
      batch(client, operations as { name: string; opcode: AlarmOperation }[], ({ name, opcode }) =>
        data.operateAlarm(name, opcode, client.caller.authorityOr(authority as string | undefined)),
      ),
    AckAlarms: (client, { alarms, authority }) =>
      batch(client, named(alarms as string[]), ({ name }) =>
        data.operateAlarm(name, 'acknowledge', client.caller.authorityOr(authority as string | undefined)),
      ),
    OperateFunctionModules: (client, { operations }) =>
      batch(client, operations as ModuleOperation[], ({ name, opcode }) => modules().operate(name, opcode)),
  };
}

function named(names: readonly string[]): { name: string }[] {
  return names.map((name) => ({ name }));
}
