// Calls somebody before each call of the process that changes a file, and in the middle of each write: as many moments as there are at which
// it may end.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const changing = ['openSync', 'ftruncateSync', 'fsyncSync', 'fdatasyncSync', 'renameSync', 'rmSync'] as const;

/** Calls `act`, and `onCall` before each change to a file and within each write. */
export function observed<T>(act: () => T, onCall: (call: string) => void): T {
  const { openSync, ftruncateSync, fsyncSync, fdatasyncSync, renameSync, rmSync, writeSync } = fs;
  const originals = { openSync, ftruncateSync, fsyncSync, fdatasyncSync, renameSync, rmSync, writeSync };
  const patched = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of changing) {
    patched[name] = (...args) => {
      onCall(name);
      return (originals[name] as (...args: unknown[]) => unknown)(...args);
    };
  }
  patched.writeSync = (...args) => {
    const [file, bytes, from, length, at] = args as [number, Uint8Array, number, number, number];
    onCall('writeSync');
    if (length < 2) return writeSync(file, bytes, from, length, at);
    const half = writeSync(file, bytes, from, length >> 1, at);
    onCall('the rest of writeSync');
    return half + writeSync(file, bytes, from + half, length - half, at + half);
  };
  syncBuiltinESMExports();
  try {
    return act();
  } finally {
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  }
}
