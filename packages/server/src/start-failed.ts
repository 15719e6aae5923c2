// Why the server could not start, in one line for the person who started it.
import { UnusableDirectories } from './access/index.ts';
import { UnusableArchive } from './archive/index.ts';
import { UnusableFolder, unusableFolder } from './data-folder.ts';
import { UnusableUser } from './modules/index.ts';
import { BadKey } from './secrets/index.ts';
import { UnusableDatabase } from './sqlite/index.ts';
import { UnusableSite } from './store/index.ts';
import { UnusableTls } from './tls/index.ts';

export class StartFailed extends Error {
  override readonly name = 'StartFailed';
}

export function cannotListen(error: unknown, { host, port }: { host: string; port: number }): StartFailed {
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${host} is in use: stop the other program, or choose another port with --port.`,
    EACCES: `port ${port} needs more rights: choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `this machine has no address ${host}: name one that it has with --host.`,
  };
  return new StartFailed(reasons[code ?? ''] ?? `cannot listen on ${host}, port ${port}: ${message}`);
}

/** Errors of parts that are loaded where a setting wants them. */
const loadedWhereSet: ReadonlySet<string> = new Set(['UnusableBus', 'UnusableLease']);

/** The same error where a person can do nothing about the reason. */
export function cannotStart(error: unknown, folder: string): unknown {
  const known = [
    UnusableFolder,
    UnusableDatabase,
    UnusableArchive,
    UnusableUser,
    UnusableDirectories,
    BadKey,
    UnusableTls,
    UnusableSite,
  ];
  if (known.some((kind) => error instanceof kind) || loadedWhereSet.has((error as Error).name))
    return new StartFailed((error as Error).message);
  const isSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return isSystem ? new StartFailed(unusableFolder(folder, error).message) : error;
}

/** What `make` makes; throws as `cannotStart` says. */
export function startable<Made>(folder: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw cannotStart(error, folder);
  }
}
