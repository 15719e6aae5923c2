// The name of a module's folder, where there is one a module: for its executable, for what it writes and prints.
import { createHash } from 'node:crypto';

/** Readable for people, and distinct also on a file system that does not distinguish `Pump` from `pump`. */
export function moduleFolder(module: string): string {
  return `${module}-${createHash('sha256').update(module).digest('hex').slice(0, 8)}`;
}
