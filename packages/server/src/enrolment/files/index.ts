// Where the data folder has what enrolment has left: known without loading what enrols. The files with which a member of the bus
// shows who it is, and by which it knows the servers; and its settings.
import { join } from 'node:path';

/** In the data folder: the settings that the server finds by itself. */
export const busSettingsName = 'bus.json';

/** Paths, as the settings want them. */
export interface BusFilePaths {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

export function busFilesIn(folder: string): BusFilePaths {
  return {
    authority: join(folder, 'authority.pem'),
    certificate: join(folder, 'certificate.pem'),
    key: join(folder, 'key.pem'),
  };
}

/** Where a centre that is the authority of its bus has the files with which it connects. */
export function ownFiles(data: string): BusFilePaths {
  return busFilesIn(join(data, 'bus', 'centre'));
}
