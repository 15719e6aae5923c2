// Reads of live measurements, commands and alarms over the channel.
import type {
  AlarmField,
  ChannelRequestFields,
  ChannelRequestName,
  CommandField,
  MeasurementField,
} from '@telltale/schema';
import type { DataAccess, ReadBytes } from '../data/index.ts';
import type { ChannelClient } from './channel-client.ts';
import type { Handler, Outcome } from './request-handler.ts';

type ReadName = 'ReadMeasurements' | 'ReadCommands' | 'ReadAlarms' | 'ReadSimulations' | 'ReadDatabase';

export function readRequests(data: DataAccess): Pick<Record<ChannelRequestName, Handler>, ReadName> {
  const wantedBy = (client: ChannelClient) => () => client.isOpen;
  return {
    ReadMeasurements: (client, fields) =>
      answered('measurements', data.readMeasurements(selectionOf<MeasurementField>(fields), wantedBy(client))),
    ReadCommands: (client, fields) =>
      answered('commands', data.readCommands(selectionOf<CommandField>(fields), wantedBy(client))),
    ReadAlarms: (client, fields) =>
      answered('alarms', data.readAlarms(selectionOf<AlarmField>(fields), wantedBy(client))),
    ReadSimulations: () => ({ more: { simulations: data.readSimulations() } }),
    ReadDatabase: (client, { select }) =>
      answered(
        'database',
        data.readDatabase(select as ChannelRequestFields<'ReadDatabase'>['select'], wantedBy(client)),
      ),
  };
}

function selectionOf<Field extends string>({ names, fields }: Record<string, unknown>) {
  return { names: names as string[] | undefined, fields: fields as Field[] | undefined };
}

function answered(field: string, bytes: ReadBytes): Promise<Outcome> | Outcome {
  if (bytes instanceof Promise) return bytes.then((gathered) => ({ more: { [field]: gathered } }));
  return { more: { [field]: bytes } };
}
