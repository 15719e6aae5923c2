// What becomes of a function module whose file is wrong, goes away or is another while it runs, and whose disk is full: it
// says so, and the old one runs where the new one never came.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fromTimestamp } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { canListProcesses } from './marked-processes.ts';
import { counted, type Hostile, ModulePlant, sleeper } from './module-plant.ts';
import { until } from './until.ts';

const skip = !canListProcesses && 'function modules run on Linux';

/** Each with what is reported of it. */
const wrong: Record<string, Hostile & { says: RegExp }> = {
  nothing: { program: undefined, says: /^could not be started: it has no executable: put one first$/ },
  garbage: {
    program: Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 167 + 13) % 256)),
    says: /neither a script/,
  },
  no_script: {
    program: 'echo hello\n',
    says: /neither a script, which begins with #! and its interpreter, nor a binary/,
  },
  torn_binary: {
    program: readFileSync('/bin/sh').subarray(0, 40),
    says: /a binary that breaks off: put all of it$/,
  },
  cut_binary: {
    program: readFileSync('/bin/sh').subarray(0, 300),
    says: /a binary that breaks off: put all of it$/,
  },
  no_interpreter: { program: '#!/usr/bin/no-such-thing\n', says: /"\/usr\/bin\/no-such-thing", is not there/ },
  folder_interpreter: { program: '#!/usr\n', says: /"\/usr", is not there or not executable/ },
  no_program: { program: '#!/usr/bin/env no-such-thing\n', says: /"no-such-thing", is not in the PATH/ },
  windows: { program: '#!/bin/sh\r\nexec sleep 1000\r\n', says: /ends as on Windows .* end lines with LF/ },
  other_sum: {
    program: sleeper,
    properties: { sha256: '0'.repeat(64) },
    says: /SHA-256 .* property sha256 asks for 0/,
  },
};

describe('a file that cannot run', { skip }, () => {
  let plant: ModulePlant;
  before(async () => {
    plant = await ModulePlant.open();
    await plant.configure(
      Object.fromEntries(Object.entries(wrong).map(([name, { says: _, ...module }]) => [name, module])),
    );
  });
  after(() => plant.close());

  for (const [name, { says }] of Object.entries(wrong)) {
    test(`is reported, and is not tried again: ${name}`, async () => {
      const reported = await plant.untilIt(name, 'fails', ({ state }) => state === 'FAIL');
      assert.match(reported['last-error']?.text ?? '', says);
      assert.deepEqual([reported.restarts, reported.pid, reported['next-start']], [0, null, null]);
      const { status, detail } = await plant.operate(name, 'start');
      assert.equal(status, 500);
      assert.match(detail.replace(/^\w+ /, '').replace(/\.$/, ''), says);
    });
  }

  test('is repaired by putting another', async () => {
    for (const name of ['nothing', 'garbage', 'no_interpreter']) {
      assert.equal((await plant.upload(name, sleeper)).status, 204);
      const reported = await plant.untilRuns(name);
      assert.equal(reported.restarts, 0);
    }
    await plant.eachRunsOnce(['nothing', 'garbage', 'no_interpreter']);
    assert.equal(plant.processes().length, 3);
    await plant.noZombies();
  });
});

describe('a module that runs', { skip }, () => {
  let plant: ModulePlant;
  const names = ['deleted', 'removed', 'replaced', 'broken', 'hurried', 'tokens'];
  /** A script that says which it is. */
  const version = (number: number) => `${counted}echo ${number} >> versions\nexec sleep 1000\n`;

  before(async () => {
    plant = await ModulePlant.open({ args: ['--max-executable-size', '1048576'] });
    await plant.configure(Object.fromEntries(names.map((name) => [name, { program: version(0) }])));
    for (const name of names) await until(`${name} runs`, async () => plant.starts(name) === 1);
  });
  after(() => plant.close());

  test('goes on when its file is deleted; when it has to be started again it says that there is none', async () => {
    const before = await plant.untilRuns('deleted');
    assert.equal((await plant.server.send('DELETE', '/function-modules/deleted/executable')).status, 204);
    assert.deepEqual(await plant.live('deleted').then(({ state, pid }) => [state, pid]), ['RUN', before.pid]);
    const { status, detail } = await plant.operate('deleted', 'restart');
    assert.deepEqual([status, detail], [500, 'deleted could not be started: it has no executable: put one first.']);
    const { state, pid, 'last-error': error } = await plant.live('deleted');
    assert.deepEqual([state, pid], ['FAIL', null]);
    assert.match(error?.text ?? '', /put one first$/);
    assert.equal((await plant.upload('deleted', version(1))).status, 204);
    await plant.eachRunsOnce(['deleted']);
  });

  test('is ended when it is removed from the configuration, with all that it left', async () => {
    await plant.configure({ removed: { program: `${counted}setsid sleep 1000 &\nexec sleep 1000\n` } });
    await until('its child is there', async () => plant.processes('removed').length === 2);
    assert.equal((await plant.server.send('DELETE', '/function-modules/removed')).status, 204);
    assert.equal((await plant.server.send('POST', '/cfgdb/render')).status, 204);
    await until('nothing of it is left', async () => plant.processes('removed').length === 0);
    assert.equal((await fetch(`${plant.server.url}/data/function-modules/removed`)).status, 404);
  });

  test('goes on when a replacement breaks off, is too long, or never comes', async () => {
    const { pid } = await plant.untilRuns('replaced');
    await halfAnUpload(plant, 'replaced', 'breaks off');
    assert.equal((await plant.upload('replaced', Buffer.alloc(2 ** 20 + 1, 10))).status, 413);
    const pending = await halfAnUpload(plant, 'replaced', 'never ends');
    const reported = await plant.live('replaced');
    assert.deepEqual([reported.state, reported.pid, reported.restarts], ['RUN', pid, 0]);
    assert.equal((await plant.operate('replaced', 'restart')).status, 204);
    await until('the old one runs again', async () => plant.stored('replaced', 'versions').length === 2);
    assert.deepEqual(plant.stored('replaced', 'versions'), ['0', '0']);
    pending.destroy();
    await plant.eachRunsOnce(['replaced']);
  });

  test('is another when its file was replaced; one that cannot run is reported', async () => {
    const { pid } = await plant.untilRuns('broken');
    assert.equal((await plant.upload('broken', version(1))).status, 204);
    await plant.untilIt('broken', 'is another', (reported) => reported.state === 'RUN' && reported.pid !== pid);
    await until('it says so', async () => plant.stored('broken', 'versions').at(-1) === '1');
    assert.equal((await plant.upload('broken', '#!/no/such\n')).status, 204);
    const reported = await plant.untilIt('broken', 'fails', ({ state }) => state === 'FAIL');
    assert.match(reported['last-error']?.text ?? '', /"\/no\/such", is not there/);
    assert.deepEqual(plant.processes('broken'), []);
  });

  test('is the last one when its file is replaced faster than it starts, and never runs twice', async () => {
    const last = 30;
    for (let number = 1; number <= last; number++) {
      assert.equal((await plant.upload('hurried', version(number))).status, 204);
    }
    await until('the last one runs', async () => plant.stored('hurried', 'versions').at(-1) === String(last));
    await plant.eachRunsOnce(['hurried']);
    assert.equal(plant.processes('hurried').length, 1);
  });

  test('has a token that works as long as its run, and not a moment longer', async () => {
    await plant.untilRuns('tokens');
    const { token = '' } = plant.processes('tokens')[0] ?? {};
    const ask = async () =>
      (await fetch(`${plant.server.url}/data/measurements/`, { headers: { authorization: `Bearer ${token}` } })).status;
    assert.equal(await ask(), 200);
    assert.equal((await plant.operate('tokens', 'stop')).status, 204);
    assert.equal(await ask(), 401);
    assert.equal((await plant.operate('tokens', 'start')).status, 204);
    assert.equal(await ask(), 401);
  });
});

describe('a disk that is full', { skip }, () => {
  const cleanup = suiteCleanup();
  const folder = temporaryFolder(cleanup);
  const modules = join(folder, 'data/modules');
  const ballast = join(modules, 'ballast');
  mkdirSync(modules, { recursive: true });
  let isMounted = false;
  let plant: ModulePlant;
  before(async () => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', modules], { stdio: 'ignore' });
      isMounted = true;
    } catch {
      return;
    }
    cleanup.defer(() => void execFileSync('umount', ['-l', modules]));
    plant = await ModulePlant.open({ data: join(folder, 'data'), args: ['--module-user', 'server'] });
    cleanup.defer(() => plant.close());
  });

  /** All that there is. */
  const fill = () => {
    for (let bytes = 2 ** 20; bytes >= 1; bytes /= 2) {
      try {
        for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      }
    }
  };

  test('is reported of a module that cannot be started; it runs when there is room, and nobody has to act', async (t) => {
    if (!isMounted) return t.skip('a file system cannot be mounted here: root may, where the machine lets it');
    fill();
    await plant.configure({ late: { program: sleeper }, still: { program: sleeper, respawn: false } });
    const reported = await plant.untilIt('late', 'waits', (module) => module['next-start'] !== null);
    assert.equal(reported.state, 'INIT');
    assert.match(reported['last-error']?.text ?? '', /^could not be started: the disk has no room/);
    await plant.untilIt('still', 'fails', ({ state }) => state === 'FAIL');
    rmSync(ballast);
    await plant.eachRunsOnce(['late']);
  });

  test('does not end a module that runs and prints', async (t) => {
    if (!isMounted) return t.skip('a file system cannot be mounted here: root may, where the machine lets it');
    const prints = '#!/bin/sh\nwhile :; do echo "$(date) all is well"; echo oh >&2; sleep 0.02; done\n';
    await plant.configure({ prints: { program: prints } });
    const { pid } = await plant.untilIt('prints', 'is measured', ({ state, cpu }) => state === 'RUN' && cpu !== null);
    fill();
    const newestMs = async () => fromTimestamp((await plant.log('prints', 1)).at(-1)?.t ?? [0, 0]) / 1000;
    await until('the log takes nothing any more', async () => Date.now() - (await newestMs()) > 500);
    const reported = await plant.live('prints');
    assert.deepEqual([reported.state, reported.pid, reported.restarts], ['RUN', pid, 0]);
    rmSync(ballast);
    const freedMs = Date.now();
    await until('the log goes on', async () => (await newestMs()) > freedMs);
    assert.equal((await plant.live('prints')).pid, pid);
  });
});

/** Sends less than it announces; then it hangs up, or waits. */
function halfAnUpload(plant: ModulePlant, name: string, then: 'breaks off' | 'never ends'): Promise<ClientRequest> {
  const sending = request(`${plant.server.config}/function-modules/${name}/executable`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', 'content-length': '1000' },
  });
  return new Promise((resolve) => {
    sending.on('error', () => resolve(sending));
    sending.write('#!/bin/sh\n', () => {
      if (then === 'breaks off') sending.destroy(new Error('the line broke'));
      else resolve(sending);
    });
  });
}
