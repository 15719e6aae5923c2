// Writes over the channel, item by item: commands, simulations, operations on alarms and function modules.
import { declarationOf, type ItemResult, type OperationName } from '@telltale/schema';
import type { Logger } from 'pino';
import type { Caller } from '../../access/index.ts';
import type { ChangedKind, DataAccess, Gate, ModuleAccess, Place } from '../../operations/index.ts';
import { toProblem } from '../problems.ts';
import { inOrder } from './in-order.ts';
import type { Handlers, Outcome } from './request-handler.ts';

type WriteName =
  | 'WriteCommands'
  | 'SimulateMeasurements'
  | 'StopSimulation'
  | 'OperateAlarms'
  | 'AckAlarms'
  | 'OperateFunctionModules';
export interface WriteRequestsOptions {
  readonly data: DataAccess;
  /** Throws where there are none yet. */
  readonly modules: () => ModuleAccess;
  readonly gate: Gate;
  readonly log: Logger;
}

export function writeRequests({ data, modules, gate, log }: WriteRequestsOptions): Pick<Handlers, WriteName> {
  const { measurements, commands, alarms } = data;

  /** Each item by itself; one that the client may not write to is refused. All have their place at once. */
  async function batch<Item extends { name: string }>(
    { caller }: { readonly caller: Caller },
    kind: ChangedKind,
    items: readonly Item[],
    operationOf: (item: Item) => OperationName,
    carryOut: (item: Item) => Promise<void>,
  ): Promise<Outcome> {
    const carryOutOne = async (item: Item): Promise<ItemResult> => {
      const { name } = item;
      const operation = operationOf(item);
      const declared = declarationOf(operation);
      try {
        gate.admitTo(declared, caller, name);
        await gate.carryOut(operation, declared, caller, name, () => carryOut(item));
        return { name, result: true };
      } catch (error) {
        return { name, result: false, error: toProblem(error as Error, log).toJSON() };
      }
    };
    const places = items.map(({ name }) => data.order.place(kind, name));
    const inPlace = (item: Item, at: number) => (places[at] as Place).begin(() => carryOutOne(item));
    return { results: await inOrder(items, inPlace, data.slices) };
  }

  return {
    WriteCommands: (client, { writes }) =>
      batch(
        client,
        'commands',
        writes,
        () => 'writeCommand',
        ({ name, value }) => commands.write(name, value),
      ),
    SimulateMeasurements: (client, { simulations }) =>
      batch(
        client,
        'measurements',
        simulations,
        () => 'simulateMeasurement',
        ({ name, value, quality, 'valid-for': validForS }) =>
          measurements.simulate(name, { value, quality, validForS, by: client.caller.author }),
      ),
    StopSimulation: (client, { measurements: names }) =>
      batch(
        client,
        'measurements',
        named(names),
        () => 'stopSimulation',
        ({ name }) => measurements.stopSimulation(name),
      ),
    OperateAlarms: (client, { operations, authority }) =>
      batch(
        client,
        'alarms',
        operations,
        ({ opcode }) => `${opcode}Alarm`,
        ({ name, opcode }) => alarms.operate(name, opcode, client.caller.authorityOr(authority)),
      ),
    AckAlarms: (client, { alarms: names, authority }) =>
      batch(
        client,
        'alarms',
        named(names),
        () => 'acknowledgeAlarm',
        ({ name }) => alarms.operate(name, 'acknowledge', client.caller.authorityOr(authority)),
      ),
    OperateFunctionModules: (client, { operations }) =>
      batch(
        client,
        'function_modules',
        operations,
        ({ opcode }) => `${opcode}FunctionModule`,
        ({ name, opcode }) => modules().operate(name, opcode),
      ),
  };
}

function named(names: readonly string[]): { name: string }[] {
  return names.map((name) => ({ name }));
}
