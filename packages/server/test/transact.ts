// A transaction from its body, without the turns that the configuration's thread takes.
import type { Configuration } from '../src/cfgdb/configuration.ts';
import { readTransaction } from '../src/cfgdb/read-objects.ts';

export function transact(
  configuration: Configuration,
  body: Uint8Array,
  options: { commit: boolean; render: boolean },
  author: string,
): void {
  const reading = readTransaction(body);
  let read = reading.next();
  while (read.done !== true) read = reading.next();
  configuration.transaction(read.value, options, author);
}
