// Reads of live measurements, commands and alarms over the channel.
import type { DataAccess, ReadBytes } from '../../operations/index.ts';
import type { ChannelClient } from './channel-client.ts';
import type { Handlers, Outcome } from './request-handler.ts';

type ReadName = 'ReadMeasurements' | 'ReadCommands' | 'ReadAlarms' | 'ReadSimulations' | 'ReadDatabase';

export function readRequests(data: DataAccess): Pick<Handlers, ReadName> {
  const wantedBy = (client: ChannelClient) => () => client.isOpen;
  return {
    ReadMeasurements: (client, selection) =>
      answered('measurements', data.readMeasurements(selection, wantedBy(client))),
    ReadCommands: (client, selection) => answered('commands', data.readCommands(selection, wantedBy(client))),
    ReadAlarms: (client, selection) => answered('alarms', data.readAlarms(selection, wantedBy(client))),
    ReadSimulations: () => ({ more: { simulations: data.readSimulations() } }),
    ReadDatabase: (client, { select }) => answered('database', data.readDatabase(select, wantedBy(client))),
  };
}

function answered(field: string, bytes: ReadBytes): Promise<Outcome> | Outcome {
  if (bytes instanceof Promise) return bytes.then((gathered) => ({ more: { [field]: gathered } }));
  return { more: { [field]: bytes } };
}
