// Reads of live measurements, commands and alarms over the channel.
import type {
  AlarmField,
  ChannelRequestFields,
  ChannelRequestName,
  CommandField,
  MeasurementField,
} from '@telltale/schema';
import { inSlices } from '../../runtime/index.ts';
import type { DataAccess } from '../data/index.ts';
import { type Handler, manyItems, type Outcome } from './request-handler.ts';

type ReadName = 'ReadMeasurements' | 'ReadCommands' | 'ReadAlarms' | 'ReadSimulations' | 'ReadDatabase';

export function readRequests(data: DataAccess): Pick<Record<ChannelRequestName, Handler>, ReadName> {
  /** Of many names, those that are not there are left out first. */
  const selecting =
    (
      objects: { find(name: string): number },
      read: (names: string[] | undefined, fields: unknown) => Outcome,
    ): Handler =>
    (_client, { names, fields }) =>
      isMany(names)
        ? knownAmong(names, objects).then((known) => read(known, fields))
        : read(names as string[] | undefined, fields);
  return {
    ReadMeasurements: selecting(data.measurements, (names, fields) => ({
      more: { measurements: data.readMeasurements({ names, fields: fields as MeasurementField[] }) },
    })),
    ReadCommands: selecting(data.commands, (names, fields) => ({
      more: { commands: data.readCommands({ names, fields: fields as CommandField[] }) },
    })),
    ReadAlarms: selecting(data.alarms, (names, fields) => ({
      more: { alarms: data.readAlarms({ names, fields: fields as AlarmField[] }) },
    })),
    ReadSimulations: () => ({ more: { simulations: data.readSimulations() } }),
    ReadDatabase: (_client, { select }) => {
      const read = (known: Selected): Outcome => {
        const members = Object.entries(data.readDatabase(known)).flatMap(([kind, objects], at) => [
          Buffer.from(`${at === 0 ? '{' : ','}"${kind}":`),
          objects,
        ]);
        const bytes = Buffer.concat([...members, Buffer.from(members.length === 0 ? '{}' : '}')]);
        return { more: { database: { bytes, release: () => undefined } } };
      };
      const selected = select as Selected;
      return Object.values(selected).some(isMany) ? knownIn(selected, data).then(read) : read(selected);
    },
  };
}

function isMany(names: unknown): names is string[] {
  return Array.isArray(names) && names.length > manyItems;
}

/** In slices. */
async function knownAmong(names: readonly string[], objects: { find(name: string): number }): Promise<string[]> {
  const known = new Set<string>();
  await inSlices(names, (name) => {
    if (objects.find(name) >= 0) known.add(name);
  });
  return [...known];
}

type Selected = ChannelRequestFields<'ReadDatabase'>['select'];

async function knownIn(select: Selected, data: DataAccess): Promise<Selected> {
  const known: Selected = { ...select };
  for (const kind of ['measurements', 'commands', 'alarms'] as const) {
    const names = select[kind];
    if (isMany(names)) known[kind] = await knownAmong(names, data[kind]);
  }
  return known;
}
