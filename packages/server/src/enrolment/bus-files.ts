// The files with which a member of the bus shows who it is, and by which it knows the servers.
import { join } from 'node:path';

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
