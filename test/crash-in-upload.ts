// Run as a child: replaces a configuration by an uploaded file, with the functions that the server does it with, and
// kills itself with SIGKILL before the n-th call to the file system or to SQLite. With n = 0 it lives, and prints the
// calls. Arguments: the database, the objects of the upload as JSON, n.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { Configuration } from '../packages/server/src/cfgdb/configuration.ts';
import { readObject } from '../packages/server/src/cfgdb/read-objects.ts';
import type { ConfiguredObject } from './database-file.ts';

const [path = '', upload = '[]', n = '0'] = process.argv.slice(2);
const calls: string[] = [];
let armed = false;

/** Makes every call of a method a moment to die at. */
function watch(owner: object, method: string, describe: (args: unknown[]) => string): void {
  const original = Reflect.get(owner, method) as (...args: unknown[]) => unknown;
  const watched = function (this: unknown, ...args: unknown[]): unknown {
    if (armed) {
      calls.push(describe(args));
      if (calls.length === Number(n)) process.kill(process.pid, 'SIGKILL');
    }
    return original.apply(this, args);
  };
  Reflect.set(owner, method, watched);
}

for (const method of ['openSync', 'closeSync', 'fsyncSync', 'renameSync', 'rmSync', 'unlinkSync', 'writeFileSync']) {
  watch(fs, method, () => method);
}
syncBuiltinESMExports();
watch(DatabaseSync.prototype, 'exec', ([sql]) => String(sql).split(/\s+/, 2).join(' '));
watch(DatabaseSync.prototype, 'close', () => 'close');
watch(StatementSync.prototype, 'run', () => 'run');

const configuration = new Configuration({ path, stacks: [], now: () => Date.now() * 1000 });
const objects = (JSON.parse(upload) as ConfiguredObject[]).flatMap(
  ({ family, object }) => readObject(family, String(object.name), object, '', []) ?? [],
);
// Acknowledged before the upload, and so far in the write-ahead log alone.
configuration.put('alarms', 'last', Buffer.from('{"name": "last", "severity": 1}'), 'before');
armed = true;
configuration.replace({ objects: objects, made: [] }, { render: true }, 'uploader');
armed = false;
configuration.close();
process.stdout.write(JSON.stringify(calls));
