// Preloaded into a process: kills it with SIGKILL before its n-th change of a file in a folder, of those that its main thread
// makes by a synchronous call or by SQLite. DIE_IN is the folder, DIE_AT is n; where that is 0 it lives, and prints how many
// changes there were at its end.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

const { DIE_IN: folder = '', DIE_AT: n = '0' } = process.env;
let changes = 0;

function watch(owner: object, method: string, pathOf: (self: unknown, args: readonly unknown[]) => unknown): void {
  const original = Reflect.get(owner, method) as (...args: unknown[]) => unknown;
  Reflect.set(owner, method, function (this: unknown, ...args: unknown[]): unknown {
    const path = String(pathOf(this, args));
    if (path.startsWith(`${folder}/`) && !path.endsWith('.lock')) {
      changes++;
      if (changes === Number(n)) process.kill(process.pid, 'SIGKILL');
    }
    return original.apply(this, args);
  });
}

if (isMainThread) {
  const methods = ['mkdirSync', 'copyFileSync', 'writeFileSync', 'renameSync', 'rmSync'];
  for (const method of methods) watch(fs, method, (_, args) => args[method === 'copyFileSync' ? 1 : 0]);
  syncBuiltinESMExports();
  watch(DatabaseSync.prototype, 'exec', (self) => (self as DatabaseSync).location());
  watch(DatabaseSync.prototype, 'close', (self) => (self as DatabaseSync).location());
  if (n === '0') process.on('exit', () => fs.writeSync(1, `changes ${changes}\n`));
}
