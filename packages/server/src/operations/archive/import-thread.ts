// The thread that parses imports, as many at once as there are ports; they take turns, and live values go before them.
import { getPriority, setPriority } from 'node:os';
import { parentLink } from '../../threads/index.ts';
import type { ParserThread } from './import-protocol.ts';
import { serveImport } from './serve-import.ts';

/** Where processors are few, all other work of the server comes first. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return; // elsewhere it would be that of the whole process
  try {
    setPriority(0, Math.min(19, getPriority(0) + 10));
  } catch {
    // A sandbox that does not allow it has imports all the same.
  }
}

lowerPriority();
parentLink<object, ParserThread>({ begin: (begin) => void serveImport(begin) });
