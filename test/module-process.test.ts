// A module in TypeScript as a process of its own, against the real server: how it stops, what it does when the service is
// gone, and how it fails. It asks as a program of this machine, so that nobody supervises it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { TelltaleClient } from '@telltale/client';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { packProgram } from '../packages/cli/src/pack/pack-program.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { until } from './until.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
const data = join(folder, 'data');
let server: ServerProcess;
let client: TelltaleClient;

const program = `
  import { module } from '@telltale/client/module';
  setInterval(() => {}, 1000); // what a program forgets must not keep it
  await module(process.env, {
    measurements: ['level'],
    commands: ['answer', 'ended'],
    cycleMs: 20,
    cycle(plant) {
      const { number } = plant.measurement('level');
      if (number === 13) throw new Error('thirteen');
      if (plant.isConnected) plant.write('answer', number === undefined ? -1 : number * 2);
    },
    onStop(plant) {
      plant.write('ended', true);
    },
  });
`;

before(async () => {
  writeFileSync(join(folder, 'loop.ts'), program);
  const { text } = await packProgram(join(folder, 'loop.ts'));
  writeFileSync(join(folder, 'loop'), text, { mode: 0o755 });
  await start();
  const points = [
    ['measurements', { name: 'level', datatype: 'd' }],
    ['commands', { name: 'answer', datatype: 'd' }],
    ['commands', { name: 'ended', datatype: 'b' }],
  ] as const;
  for (const [family, object] of points) await server.send('PUT', `/${family}/${object.name}`, object);
  await server.send('POST', '/cfgdb/render');
});

async function start(port = '0'): Promise<void> {
  server = await startServer(cleanup, { data, args: ['--port', port] });
  client = new TelltaleClient({ url: server.url });
}

class Module {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  stderr = '';

  constructor() {
    this.child = spawn('./loop', [], {
      cwd: folder,
      env: {
        PATH: '/usr/bin:/bin',
        TELLTALE_NODE: process.execPath,
        TELLTALE_MODULE: 'loop',
        TELLTALE_TOKEN: '',
        TELLTALE_BASE_URL: `${server.url}/data`,
        TELLTALE_WS_URL: client.wsUrl,
      },
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    this.child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close');
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<unknown[]> {
    this.child.kill(signal);
    return this.ended;
  }
}

const command = async (name: string) => (await client.commands.get(name)).vt[0];
const answers = (level: number, answer: string) =>
  until(`${level} becomes ${answer}`, async () => {
    await client.measurements.simulate('level', `d${level}`);
    return (await command('answer')) === answer;
  });

describe('a module in TypeScript', { skip: process.platform === 'win32' && 'function modules run on Linux' }, () => {
  test('stops by a signal: writes what onStop sets, and ends with 0 whatever is open', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      await client.commands.write('ended', 'b0');
      await client.commands.write('answer', 'd0');
      const module = new Module();
      await answers(4, 'd8');
      assert.deepEqual(await module.stop(signal), [0, null]);
      assert.equal(await command('ended'), 'b1');
      assert.equal(module.stderr, '');
    }
  });

  test('goes on when the service is back, and stops though it is not', async () => {
    const module = new Module();
    await answers(5, 'd10');
    const { port } = new URL(server.url);
    await server.end('SIGKILL');
    await until('it says so', async () => /The link to the service is lost/.test(module.stderr));
    await start(port);
    await answers(6, 'd12');
    await server.end();
    assert.deepEqual(await module.stop(), [0, null]);
    assert.match(module.stderr, /ended was not written with true: /);
    await start();
  });

  test('is ended by what it throws, with 1 and the line of the source', async () => {
    const module = new Module();
    await answers(7, 'd14');
    await client.measurements.simulate('level', 'd13');
    assert.deepEqual(await module.ended, [1, null]);
    assert.match(module.stderr, /Error: thirteen\n.*module:\/\/\/loop\.ts:10:/);
  });
});
