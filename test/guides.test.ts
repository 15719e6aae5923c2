// The guides work: their commands are pasted into a shell, in order, against a server with the demo plant. Ports that a
// guide names stand for free ones here, so that nobody else's server or broker is in the way or in use.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Mosquitto, withoutMosquitto } from '../stacks/mqtt/test/mosquitto.ts';
import { moduleArgs, startServer } from './server-process.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cliFile = join(root, 'packages/cli/bin/telltale.js');
const withoutCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'there is no curl on this machine';

/** What a guide expects to find at a port, by this port. */
const peers: Record<string, { readonly missing: string | false; start(t: TestContext, port: number): Promise<void> }> =
  {
    1883: {
      missing: withoutMosquitto,
      async start(t, port) {
        const broker = await Mosquitto.start({ port });
        cleanupOf(t).defer(() => broker.stop());
      },
    },
  };

interface Command {
  readonly text: string;
  /** The title of the problem that the guide shows right below the block, where it shows one. */
  readonly problem: string | undefined;
}

/** What a reader would paste, each command by itself. */
function commandsOf(path: string): Command[] {
  const blocks = readFileSync(path, 'utf8').matchAll(/^```sh\n(.*?)^```$(?:\n\n```json\n.*?"title":\s*"([^"]+)")?/gms);
  return Array.from(blocks).flatMap(([, block = '', problem]) => {
    const texts = block.split(/\n(?=curl |printf |npm |telltale |echo |mosquitto_pub )/);
    return texts.map((text, index) => ({ text, problem: index === texts.length - 1 ? problem : undefined }));
  });
}

/** Those of the guide, but for the server's own. */
function portsOf(commands: readonly Command[]): string[] {
  const found = commands.flatMap(({ text }) => [...text.matchAll(/(?:port": "|127\.0\.0\.1:|-p )(\d+)/gi)]);
  return [...new Set(found.map(([, port = '']) => port))].filter((port) => port !== '8080');
}

/** `telltale` as the guides call it, where it finds the server, and where the data folder is. */
function environment(folder: string, url: string, data: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'telltale'), `#!/bin/sh\nexec '${process.execPath}' '${cliFile}' "$@"\n`, { mode: 0o755 });
  return {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    TELLTALE_URL: url,
    TELLTALE_DATA: data,
    XDG_CONFIG_HOME: folder,
  };
}

for (const path of globSync(join(root, 'docs/guides/*.md')).sort()) {
  const commands = commandsOf(path);
  if (commands.length === 0) continue;
  const ports = portsOf(commands);
  const skip = withoutCurl || (ports.map((port) => peers[port]?.missing).find(Boolean) ?? false);
  test(`the ${commands.length} commands of ${basename(path)} do what it says`, { skip }, async (t) => {
    const folder = temporaryFolder(t);
    const free = new Map<string, number>();
    for (const port of ports) free.set(port, await freePort());
    for (const [port, own] of free) await peers[port]?.start(t, own);
    const data = join(folder, 'any folder');
    const server = await startServer(t, { data, args: ['--demo', ...moduleArgs] });
    const env = environment(folder, server.url, data);
    for (const { text, problem } of commands) {
      const pasted = text
        .replaceAll('http://127.0.0.1:8080', server.url)
        .replace(/(?<![\d.])\d{4,5}(?![\d.])/g, (number) => String(free.get(number) ?? number));
      const { status, stdout, stderr } = spawnSync('sh', ['-c', pasted], { cwd: folder, env, encoding: 'utf8' });
      assert.equal(status, 0, `${text}\n${stdout}${stderr}`);
      const [, title] = /^\{"type":"\/docs\/#problem-[^"]*","title":"([^"]+)"/.exec(stdout) ?? [];
      assert.equal(title, problem, text);
    }
  });
}
