// Implements the operations of the families of configured objects.
import type { ArchiveKind, Family } from '@telltale/schema';
import type { AskableConfiguration } from '../../cfgdb/index.ts';
import type { Asked, AskedWithBody, Implementations } from './implementation.ts';
import { changing, changingOne } from './noted-changes.ts';
import { renderingOf } from './rendering-input.ts';

interface RenameInput {
  readonly name: string;
  readonly to: string;
  readonly 'dry-run'?: boolean;
  readonly render?: boolean;
  readonly comment?: string;
}

export function configuredObjects(cfgdb: AskableConfiguration) {
  const names =
    (family: Family) =>
    (_: object, { caller }: Asked) =>
      cfgdb.as(caller).call('names', family);
  const list =
    (family: Family) =>
    (input: { names?: string[] }, { caller }: Asked) =>
      cfgdb.as(caller).call('list', family, input.names);
  const get =
    (family: Family) =>
    (input: { name: string }, { caller }: Asked) =>
      cfgdb.as(caller).call('get', family, input.name);
  const put = (family: Family) => (input: { name: string }, asked: AskedWithBody) =>
    changingOne(cfgdb, asked).call('put', family, input.name, asked.whole, asked.caller.author);
  const remove = (family: Family) => (input: { name: string }, asked: Asked) =>
    changingOne(cfgdb, asked).call('delete', family, input.name, asked.caller.author);
  const rename =
    (family: ArchiveKind) =>
    ({ name: from, to, 'dry-run': dryRun = false, ...input }: RenameInput, asked: Asked) => {
      const options = { commit: !dryRun, ...renderingOf(input) };
      return changing(cfgdb, asked, input.comment).call('rename', { family, from, to }, options, asked.caller.author);
    };
  return {
    renameMeasurement: rename('measurements'),
    renameCommand: rename('commands'),
    renameAlarm: rename('alarms'),
    listNamesOfConfiguredAlarms: names('alarms'),
    listConfiguredAlarms: list('alarms'),
    getConfiguredAlarm: get('alarms'),
    putConfiguredAlarm: put('alarms'),
    deleteConfiguredAlarm: remove('alarms'),
    listNamesOfConfiguredCommands: names('commands'),
    listConfiguredCommands: list('commands'),
    getConfiguredCommand: get('commands'),
    putConfiguredCommand: put('commands'),
    deleteConfiguredCommand: remove('commands'),
    listNamesOfConfiguredMeasurements: names('measurements'),
    listConfiguredMeasurements: list('measurements'),
    getConfiguredMeasurement: get('measurements'),
    putConfiguredMeasurement: put('measurements'),
    deleteConfiguredMeasurement: remove('measurements'),
    listNamesOfConfiguredConnectors: names('connectors'),
    listConfiguredConnectors: list('connectors'),
    getConfiguredConnector: get('connectors'),
    putConfiguredConnector: put('connectors'),
    deleteConfiguredConnector: remove('connectors'),
    listNamesOfConfiguredProviders: names('providers'),
    listConfiguredProviders: list('providers'),
    getConfiguredProvider: get('providers'),
    putConfiguredProvider: put('providers'),
    deleteConfiguredProvider: remove('providers'),
    listNamesOfConfiguredFunctionModules: names('function-modules'),
    listConfiguredFunctionModules: list('function-modules'),
    getConfiguredFunctionModule: get('function-modules'),
    putConfiguredFunctionModule: put('function-modules'),
    deleteConfiguredFunctionModule: remove('function-modules'),
    listNamesOfConfiguredPictures: names('pictures'),
    listConfiguredPictures: list('pictures'),
    getConfiguredPicture: get('pictures'),
    putConfiguredPicture: put('pictures'),
    deleteConfiguredPicture: remove('pictures'),
    listNamesOfConfiguredTrends: names('trends'),
    listConfiguredTrends: list('trends'),
    getConfiguredTrend: get('trends'),
    putConfiguredTrend: put('trends'),
    deleteConfiguredTrend: remove('trends'),
  } satisfies Partial<Implementations>;
}
