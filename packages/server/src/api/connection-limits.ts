// How many connections the server takes, from how many files the system lets it open: what connectors, the archive,
// function modules and SQLite need is left to them.
import { readFileSync } from 'node:fs';

/** Where the system does not report a limit, as on Windows: far below what any of these allows. */
const usualFiles = 16_384;

/**
 * An empty server has some 80 files open. Uploads and downloads, bounded where they are carried out, come to some 70 at once;
 * the rest is for connectors, blocks of the archive and function modules.
 */
const mostReserved = 500;
const leastReserved = 180;
/** Of all, so few that diagnosis stays possible. */
const leastShare = 1 / 8;

/** Of HTTP, beside a full channel: more than any number of people, scripts and proxies. */
const mostOfHttp = 2000;

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of the channel: some are left to HTTP, by which one can look why the channel is full. */
  readonly maxClients: number;
}

/** `files` is how many the process may open, `maxClients` the setting. */
export function connectionLimits(files: number, maxClients: number): ConnectionLimits {
  const reserved = Math.min(mostReserved, Math.max(leastReserved, Math.ceil(files / 2)));
  const room = Math.max(files - reserved, Math.floor(files * leastShare));
  const maxConnections = Math.min(room, maxClients + mostOfHttp);
  const most = Math.max(Math.ceil((maxConnections * 3) / 4), maxConnections - mostOfHttp);
  return { maxConnections, maxClients: Math.min(maxClients, most) };
}

/** How many files this process may open; Node has raised it to the hard limit by the time it asks. */
export function mostFiles(limits = '/proc/self/limits'): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(limits, 'latin1')) ?? [];
    return limit === undefined ? usualFiles : Number(limit);
  } catch {
    return usualFiles;
  }
}
