// Implements the operations of live measurements, commands and alarms.
import { createHash } from 'node:crypto';
import type { AlarmOperation, LiveMeasurement } from '@telltale/schema';
import type { Caller } from '../../access/index.ts';
import { collectionText } from '../collection-text.ts';
import { alarmTriggers, type LiveData, type LiveKindName, type Reader } from '../data/index.ts';
import type { StackAccess } from '../diagnostics/index.ts';
import type { Noted } from '../recording.ts';
import type { Asked, Implementations } from './implementation.ts';

export interface LiveObjectParts {
  readonly data: LiveData;
  readonly stacks: StackAccess;
  /** Differs from start to start: versions count from 0 each time. */
  readonly boot: string;
}

export function liveObjects({ data, stacks, boot }: LiveObjectParts) {
  /** Most answers are there before anybody asks whether they are wanted. */
  const readerOf = ({ caller, signal }: Asked): Reader => ({
    view: data.viewOf(caller.rights),
    isWanted: () => !signal().aborted,
  });
  /** Of those who do not see everything, in a form that does not tell how much happens elsewhere. */
  const versionOf = (kind: LiveKindName, { rights }: Caller): string | undefined => {
    const view = data.viewOf(rights);
    const version = data.versionOf(kind, view);
    if (version === undefined || view === undefined) return version && `${boot}-${version}`;
    return createHash('sha1').update(`${boot}-${kind}-${version}`).digest('base64url');
  };
  const operate =
    (operation: AlarmOperation) =>
    async ({ name, authority }: { name: string; authority?: string }, { caller, note }: Asked): Promise<void> => {
      const { alarms } = data;
      note({ old: alarms.present(name)?.state, reason: authority });
      await alarms.operate(name, operation, caller.authorityOr(authority));
      note({ new: alarms.present(name)?.state });
    };
  return {
    listMeasurements: {
      run: (selection, asked) => data.readMeasurements(selection, readerOf(asked)),
      version: ({ caller }) => versionOf('measurements', caller),
    },
    getMeasurement: ({ name }) => data.readMeasurement(name),
    simulateMeasurement: ({ name, value, quality, 'valid-for': validForS, reason }, { caller, note }) => {
      note({ ...measuredOf(data, name), new: simulationOf({ value, quality, validForS }) });
      return data.measurements.simulate(name, { value, quality, validForS, by: caller.author, reason });
    },
    stopSimulation: ({ name }, { note }) => {
      note(measuredOf(data, name));
      return data.measurements.stopSimulation(name);
    },
    listSimulations: (_, { caller }) => {
      const visible = data.viewOf(caller.rights)?.measurements;
      const isSeen = ({ name }: { name: string }) => visible?.has(data.measurements.find(name)) ?? true;
      const all = data.measurements.simulations().filter(isSeen);
      return collectionText(all.map((each) => [each.name, each]));
    },
    explainMeasurement: ({ name }, { caller }) => stacks.explain(name, caller.rights),
    listCommands: {
      run: (selection, asked) => data.readCommands(selection, readerOf(asked)),
      version: ({ caller }) => versionOf('commands', caller),
    },
    getCommand: ({ name }) => data.readCommand(name),
    getCommandByAlias: ({ name }) => data.readCommand(name),
    writeCommand: ({ name, value }, { caller, note }) => {
      const handle = data.commands.find(name);
      note({ old: handle < 0 ? undefined : data.commands.textOf(handle), new: value });
      return data.commands.write(name, value, caller.author);
    },
    explainCommand: ({ name }, { caller }) => stacks.explainCommand(name, caller.rights),
    listAlarms: {
      run: (selection, asked) => data.readAlarms(selection, readerOf(asked)),
      version: ({ caller }) => versionOf('alarms', caller),
    },
    getAlarm: ({ name }) => data.readAlarm(name),
    listAlarmTriggers: async (selection, asked) => {
      const { view, isWanted } = readerOf(asked);
      const triggers = (await data.slices.run(alarmTriggers(data, selection, view), isWanted)) ?? [];
      return collectionText(triggers.map((each) => [each.name, each]));
    },
    activateAlarm: operate('activate'),
    deactivateAlarm: operate('deactivate'),
    acknowledgeAlarm: operate('acknowledge'),
    listAreas: async (_, asked) => {
      const areas = (await data.readAreas(readerOf(asked))) ?? [];
      return collectionText(areas.map((each) => [each.area, each]));
    },
    readLiveObjects: ({ select }, asked) => data.readDatabase(select, readerOf(asked)),
  } satisfies Partial<Implementations>;
}

/** For the audit trail: the value alone, where it has nothing else. */
function simulationOf({
  value,
  ...more
}: {
  value: string;
  quality?: number | undefined;
  validForS?: number | undefined;
}) {
  return more.quality === undefined && more.validForS === undefined ? value : { value, ...more };
}

/** What it shows, for the audit trail. */
function measuredOf({ measurements }: LiveData, name: string): Noted {
  const handle = measurements.find(name);
  if (handle < 0) return {};
  const { vtq } = JSON.parse(measurements.wire.object(handle).toString()) as Partial<LiveMeasurement>;
  return { old: vtq?.[0] };
}
