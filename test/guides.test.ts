// The guides work: their commands are pasted into a shell, in order, against a server with the demo plant.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ServerProcess, temporaryFolder } from './server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const missing = spawnSync('curl', ['--version']).status === 0 ? false : 'there is no curl on this machine';

/** What a reader would paste: each command by itself, so that one that fails is named. */
function commandsOf(path: string): string[] {
  const blocks = readFileSync(path, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  return Array.from(blocks, ([, block = '']) => block).flatMap((block) => block.split(/\n(?=curl |printf |npm )/));
}

for (const path of globSync(join(root, 'docs/guides/*.md')).sort()) {
  const commands = commandsOf(path);
  if (commands.length === 0) continue;
  test(`the ${commands.length} commands of ${basename(path)} work`, { skip: missing }, async (t) => {
    const folder = temporaryFolder();
    t.after(folder.dispose);
    const server = await ServerProcess.start({ data: join(folder.path, 'data'), args: ['--demo'] });
    t.after(() => server.end());
    for (const command of commands) {
      const pasted = command.replaceAll('http://127.0.0.1:8080', server.url);
      const { status, stdout, stderr } = spawnSync('sh', ['-c', pasted], { cwd: folder.path, encoding: 'utf8' });
      assert.equal(status, 0, `${command}\n${stdout}${stderr}`);
      const expectsError = /^```sh\n(?:(?!```)[\s\S])*```\n\n```json/m.test(readFileSync(path, 'utf8'));
      if (!expectsError) assert.doesNotMatch(stdout, /"type":"\/docs\/#problem-/, command);
    }
  });
}
