// The guides work: their commands are pasted into a shell, in order, against a server with the demo plant.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ServerProcess, temporaryFolder } from './server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cliFile = join(root, 'packages/cli/src/main.ts');
const missing = spawnSync('curl', ['--version']).status === 0 ? false : 'there is no curl on this machine';

interface Command {
  readonly text: string;
  /** The title of the problem that the guide shows right below the block, where it shows one. */
  readonly problem: string | undefined;
}

/** What a reader would paste, each command by itself. */
function commandsOf(path: string): Command[] {
  const blocks = readFileSync(path, 'utf8').matchAll(/^```sh\n(.*?)^```$(?:\n\n```json\n.*?"title":\s*"([^"]+)")?/gms);
  return Array.from(blocks).flatMap(([, block = '', problem]) => {
    const texts = block.split(/\n(?=curl |printf |npm |telltale |echo )/);
    return texts.map((text, index) => ({ text, problem: index === texts.length - 1 ? problem : undefined }));
  });
}

/** `telltale` as the guides call it, and where it finds the server. */
function environment(folder: string, url: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'telltale'), `#!/bin/sh\nexec '${process.execPath}' '${cliFile}' "$@"\n`, { mode: 0o755 });
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, TELLTALE_URL: url };
}

for (const path of globSync(join(root, 'docs/guides/*.md')).sort()) {
  const commands = commandsOf(path);
  if (commands.length === 0) continue;
  test(`the ${commands.length} commands of ${basename(path)} do what it says`, { skip: missing }, async (t) => {
    const folder = temporaryFolder();
    t.after(folder.dispose);
    const server = await ServerProcess.start({ data: join(folder.path, 'data'), args: ['--demo'] });
    t.after(() => server.end());
    const env = environment(folder.path, server.url);
    for (const { text, problem } of commands) {
      const pasted = text.replaceAll('http://127.0.0.1:8080', server.url);
      const { status, stdout, stderr } = spawnSync('sh', ['-c', pasted], { cwd: folder.path, env, encoding: 'utf8' });
      assert.equal(status, 0, `${text}\n${stdout}${stderr}`);
      const [, title] = /^\{"type":"\/docs\/#problem-[^"]*","title":"([^"]+)"/.exec(stdout) ?? [];
      assert.equal(title, problem, text);
    }
  });
}
