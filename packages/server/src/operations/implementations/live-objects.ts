// Implements the operations of live measurements, commands and alarms.
import { collectionText } from '../collection-text.ts';
import type { IsWanted, LiveData } from '../data/index.ts';
import type { StackAccess } from '../diagnostics/index.ts';
import type { Asked, Implementations } from './implementation.ts';

export interface LiveObjectParts {
  readonly data: LiveData;
  readonly stacks: StackAccess;
  /** Differs from start to start: versions count from 0 each time. */
  readonly boot: string;
}

export function liveObjects({ data, stacks, boot }: LiveObjectParts) {
  return {
    listMeasurements: {
      run: (selection, { signal }) => data.readMeasurements(selection, whileOpen(signal)),
      version: () => `${boot}-${data.versionOf('measurements')}`,
    },
    getMeasurement: ({ name }) => data.readMeasurement(name),
    simulateMeasurement: ({ name, value, quality, 'valid-for': validForS }, { caller }) =>
      data.measurements.simulate(name, { value, quality, validForS, by: caller.author }),
    stopSimulation: ({ name }) => data.measurements.stopSimulation(name),
    listSimulations: () => collectionText(data.measurements.simulations().map((each) => [each.name, each])),
    explainMeasurement: ({ name }) => stacks.explain(name),
    listCommands: {
      run: (selection, { signal }) => data.readCommands(selection, whileOpen(signal)),
      version: () => `${boot}-${data.versionOf('commands')}`,
    },
    getCommand: ({ name }) => data.readCommand(name),
    getCommandByAlias: ({ name }) => data.readCommand(name),
    writeCommand: ({ name, value }, { caller }) => data.commands.write(name, value, caller.author),
    explainCommand: ({ name }) => stacks.explainCommand(name),
    listAlarms: {
      run: (selection, { signal }) => data.readAlarms(selection, whileOpen(signal)),
      version: () => `${boot}-${data.versionOf('alarms')}`,
    },
    getAlarm: ({ name }) => data.readAlarm(name),
    activateAlarm: ({ name, authority }, { caller }) =>
      data.alarms.operate(name, 'activate', caller.authorityOr(authority)),
    deactivateAlarm: ({ name, authority }, { caller }) =>
      data.alarms.operate(name, 'deactivate', caller.authorityOr(authority)),
    acknowledgeAlarm: ({ name, authority }, { caller }) =>
      data.alarms.operate(name, 'acknowledge', caller.authorityOr(authority)),
    listAreas: async (_, { signal }) => {
      const areas = (await data.readAreas(whileOpen(signal))) ?? [];
      return collectionText(areas.map((each) => [each.area, each]));
    },
    readLiveObjects: ({ select }, { signal }) => data.readDatabase(select, whileOpen(signal)),
  } satisfies Partial<Implementations>;
}

/** Most answers are there before anybody asks whether they are wanted. */
function whileOpen(signal: Asked['signal']): IsWanted {
  return () => !signal().aborted;
}
