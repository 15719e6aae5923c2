// `telltale doctor` on the machine of a real server: while it runs, when it is stopped, and where something is wrong.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { freePort } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { DoctorFinding } from '../packages/cli/src/commands/doctor.ts';
import { noTerminal, runOnTerminal, spawnCli } from './cli-process.ts';
import { startServer } from './server-process.ts';

interface Report {
  readonly ok: boolean;
  readonly wrong: number;
  readonly findings: readonly DoctorFinding[];
}

const url = 'http://127.0.0.1:55';

async function examine(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Report> {
  const { code, stdout, stderr } = await spawnCli(['doctor', ...args], { url, env });
  const report = JSON.parse(stdout) as Report;
  assert.equal(code, report.wrong > 0 ? 1 : 0, stderr);
  assert.equal(report.ok, report.wrong === 0);
  return report;
}

const textsOf = ({ findings }: Report, check: string) =>
  findings.filter((each) => each.check === check).map(({ level, text }) => `${level}: ${text}`);

/** Everything that somebody who only reads leaves as it is. */
function stampsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const { mtimeMs, size, mode } = statSync(join(folder, path));
      return `${path} ${mtimeMs} ${size} ${mode}`;
    });
}

const noLocks = existsSync('/proc/locks') ? false : 'this system does not tell who has a lock';

describe('telltale doctor', () => {
  test('finds a server that runs, and one that is stopped, in order, and changes nothing', {
    skip: noLocks,
  }, async (t) => {
    const data = join(temporaryFolder(t), 'data');
    const server = await startServer(t, { data });
    const port = new URL(server.url).port;
    const running = await examine(['--data', data, '--port', port]);
    assert.match(textsOf(running, 'lock').join(), /^ok: A server runs on the data folder \(process \d+\)\.$/);
    assert.match(textsOf(running, 'port').join(), /^ok: .*the server runs/);
    assert.match(textsOf(running, 'data folder').join(), /^ok: /);
    await server.end();
    const before = stampsIn(data);
    const stopped = await examine([], { TELLTALE_DATA: data, TELLTALE_PORT: port });
    assert.match(textsOf(stopped, 'lock').join(), /^ok: No server runs/);
    assert.match(textsOf(stopped, 'port').join(), /^ok: .* is free/);
    assert.deepEqual(stampsIn(data), before);
  });

  test('says what is wrong with a port that is taken and a setting that is none, with what to do', async (t) => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    cleanupOf(t).defer(() => void other.close());
    const data = join(temporaryFolder(t), 'data');
    const report = await examine(['--data', data, '--port', String(port)]);
    assert.match(textsOf(report, 'port').join(), /^wrong: Port \d+ of 127\.0\.0\.1 is taken by /);
    const { fix } = report.findings.find(({ level }) => level === 'wrong') ?? assert.fail();
    assert.match(fix ?? '', /^sudo ss -ltnp/);
    assert.equal(existsSync(data), false);
    const settings = await examine(['--data', data], { TELLTALE_PORT: 'eighty', TELLTALE_PROT: '80' });
    assert.match(
      textsOf(settings, 'settings').join('\n'),
      /^wrong: TELLTALE_PORT "eighty" .*\n[\s\S]*note: TELLTALE_PROT is not a setting/,
    );
  });

  test('shows on a terminal each finding, and below it what to do', { skip: noTerminal }, (t) => {
    const data = join(temporaryFolder(t), 'data');
    const { stdout } = runOnTerminal(['doctor', '--data', data, '--port', '0', '--no-color'], { url });
    const text = stdout.replaceAll('\r', '');
    assert.match(text, /^note +data folder +\S+ is not there: .*\n +→ --data FOLDER$/m);
    assert.match(text, /^ok +port +The server takes any free port\.$/m);
  });
});
