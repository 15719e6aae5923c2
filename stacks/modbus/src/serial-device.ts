// Opens what a configuration calls a serial port only where it is one: a character device below /dev. Anything else would
// let a configuration read files, or wait for ever at a pipe.
import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { resolve, sep } from 'node:path';

const folder = `${sep}dev${sep}`;

export interface SerialDevice {
  /** What leads to this device and no other, as long as it is not closed. */
  readonly path: string;
  /** After the path has been opened. */
  close(): void;
}

/** Throws, with a text for people, where the path leads to something else. Windows has no files that are devices. */
export function openDevice(given: string): SerialDevice {
  if (process.platform === 'win32') return { path: given, close: () => {} };
  if (!resolve(given).startsWith(folder)) throw new Error('a serial port must be a device below /dev');
  // By links below /dev, such as those of /dev/serial/by-id, to the device; from there on no link is followed.
  const path = realpathSync(given);
  if (!path.startsWith(folder)) throw new Error(`it leads to ${path}: a serial port must be a device below /dev`);
  mustBeDevice(lstatSync(path)); // to open a device that is something else may have effects
  const { O_RDWR, O_NOCTTY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
  try {
    mustBeDevice(fstatSync(descriptor));
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  const own = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path;
  return { path: own, close: () => closeSync(descriptor) };
}

function mustBeDevice(stats: Stats): void {
  if (stats.isCharacterDevice()) return;
  const kind = stats.isFile()
    ? 'a file'
    : stats.isDirectory()
      ? 'a folder'
      : stats.isFIFO()
        ? 'a pipe'
        : 'something else';
  throw new Error(`it is ${kind}: a serial port must be a character device`);
}
