// Function modules that do everything wrong, beside one that does nothing wrong, on one real server: each is stopped by its
// rules, nothing of it is left, what is reported of it is right, and the others do not notice.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FunctionModuleStatus, fromTimestamp, type Timestamp } from '@telltale/schema';
import { missingPeers } from '@telltale/stack-kit/testing';
import { CheckedChannel } from './checked-channel.ts';
import { canListProcesses, processesWith, residentBytes } from './marked-processes.ts';
import { counted, deaf, type Hostile, ModulePlant, probeLatency, sleeper } from './module-plant.ts';
import { until } from './until.ts';

/** Connects to the channel as the guide says, and then says nothing. */
const connectsOnly = `#!/usr/bin/python3
import os, socket, urllib.parse
url = urllib.parse.urlsplit(os.environ["TELLTALE_WS_URL"])
channel = socket.create_connection((url.hostname, url.port))
channel.sendall(("GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n"
  "Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n"
  % (url.path, url.netloc, os.environ["TELLTALE_TOKEN"])).encode())
while channel.recv(4096): pass
`;

/** A daemon as the books have it: forks, makes a session, forks again, and its parents are gone. */
const daemon = `#!/usr/bin/python3
import os, signal, sys, time
if os.fork() == 0:
  os.setsid()
  if os.fork() > 0: os._exit(0)
  signal.signal(signal.SIGTERM, signal.SIG_IGN)
  while True: time.sleep(1000)
os.wait()
sys.exit(int(os.environ["CODE"]))
`;

const children = `${counted}sleep 1000 &
setsid sleep 1000 &
setsid sh -c "trap '' TERM; sleep 1000; sleep 1000" &
(sleep 1000 &)
`;

/** Arguments by which they are found: they have no mark, no environment, no parent and a session of their own. */
const [forgetful, orphaned] = [`1000.${process.pid}1`, `1000.${process.pid}2`];
const forgotten = () => [forgetful, orphaned].flatMap(processesWith);
const unmarked = `${counted}env -i setsid sleep ${forgetful} &
(env -i setsid sh -c "trap '' TERM; exec sleep ${orphaned}" &)
`;

/** Another process every 10 ms, each in a session of its own, and its parent gone; all of them hold one lock. */
const hopper = `#!/usr/bin/python3
import fcntl, os, time
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
while True:
  if os.fork() > 0: os._exit(6)
  os.setsid()
  time.sleep(0.01)
`;

const isRoot = process.getuid?.() === 0;
const notRoot = !isRoot && 'a server that is not root cannot give modules users of their own';
const noPython = missingPeers('/usr/bin/python3') ?? false;

const inPython: Record<string, Hostile> = {
  connects_only: { program: connectsOnly, queryTimeout: 1500 },
  daemon: { program: daemon, env: { CODE: '0' }, termToKill: 300, respawn: false },
  ...(isRoot && { hopper: { program: hopper, termToKill: 300, respawn: false } }),
};

/** What keeps no sign of where it comes from is found by its control group or by its user: `unmarked`, and `hopper`. */
const modules: Record<string, Hostile> = {
  good: { program: sleeper },
  exits: { program: `${counted}exit 3\n` },
  exits_well: { program: `${counted}exit 0\n` },
  kills_itself: { program: `${counted}kill -SEGV $$\n` },
  exits_once: { program: `${counted}exit 4\n`, respawn: false },
  mute: { program: sleeper, queryTimeout: 300 },
  mute_once: { program: deaf, queryTimeout: 300, termToKill: 100, respawn: false },
  deaf: { program: deaf, termToKill: 300 },
  leaves_children: { program: `${children}exit 5\n`, termToKill: 300, respawn: false },
  has_children: { program: `${children}wait\n`, termToKill: 300 },
  ...(!noPython && inPython),
  ...(isRoot && { unmarked: { program: `${unmarked}wait\n`, termToKill: 300 } }),
  halts: { program: `${counted}kill -STOP $$\n`, termToKill: 20_000 },
};

let plant: ModulePlant;
let channel: CheckedChannel;
let probe: ReturnType<typeof probeLatency>;
let startBytes: number;

const skip = !canListProcesses && 'function modules run on Linux';

describe('a function module that', { skip }, () => {
  before(async () => {
    plant = await ModulePlant.open();
    startBytes = residentBytes(plant.server.pid);
    probe = probeLatency(plant.server);
    channel = await CheckedChannel.open(plant.server.url);
    await channel.done('WatchFunctionModules', { function_modules: 'all' });
    await plant.configure(modules);
  });
  after(async () => {
    await plant.close();
    for (const pid of forgotten()) process.kill(pid, 'SIGKILL');
  });

  test('ends once, and is not to come back, has failed with its exit code', async () => {
    const { pid, ...reported } = await plant.untilIt('exits_once', 'fails', ({ state }) => state === 'FAIL');
    assert.deepEqual([pid, reported.restarts, reported['exit-code'], reported['next-start']], [null, 0, 4, null]);
    assert.equal(reported['last-error']?.text, 'ended with exit code 4');
    assert.equal(plant.starts('exits_once'), 1);
  });

  test('ends at once waits longer each time before it is started again', async () => {
    await plant.untilIt('kills_itself', 'waits for the third time', ({ restarts }) => restarts === 2);
    const pauses = channel
      .reported<FunctionModuleStatus>('FunctionModuleUpdateNotification')
      .filter(({ name, 'next-start': next }) => name === 'kills_itself' && next !== null)
      // INIT since its end: it was RUN before, as it is never asked.
      .map(({ since, 'next-start': next }) =>
        Math.round((fromTimestamp(next as Timestamp) - fromTimestamp(since)) / 1e6),
      );
    assert.deepEqual(pauses.slice(0, 2), [1, 2]);
    const { 'exit-signal': signal, 'exit-code': code, 'last-error': error } = await plant.live('kills_itself');
    assert.deepEqual([signal, code, error?.text], ['SIGSEGV', null, 'was ended by SIGSEGV']);
  });

  test('never speaks is ended, and is reported to have been silent', async () => {
    const reported = await plant.untilIt('mute', 'comes back', ({ restarts }) => restarts > 0);
    assert.equal(reported['last-error']?.text, 'was not connected to the channel for 300 ms');
    assert.equal(reported.state, 'INIT', 'it has never been ready');
    const once = await plant.untilIt('mute_once', 'fails', ({ state }) => state === 'FAIL');
    assert.equal(once['last-error']?.text, 'was not connected to the channel for 300 ms');
    assert.deepEqual([once['exit-signal'], once.pid, once.restarts], ['SIGKILL', null, 0]);
    assert.deepEqual(plant.processes('mute_once'), []);
  });

  test('connects and leaves queries unanswered is ended, and is reported so', { skip: noPython }, async () => {
    const reported = await plant.untilIt('connects_only', 'comes back', ({ restarts }) => restarts > 0);
    assert.equal(reported['last-error']?.text, 'left a query unanswered for 1500 ms');
  });

  test('ends and leaves children behind leaves none: of its group, of other sessions', async () => {
    const reported = await plant.untilIt('leaves_children', 'fails', ({ state }) => state === 'FAIL');
    assert.deepEqual([reported['exit-code'], reported['last-error']?.text], [5, 'ended with exit code 5']);
    assert.deepEqual(plant.processes('leaves_children'), []);
    assert.equal(plant.isHeld('leaves_children'), false);
  });

  test('becomes a daemon, whose parents are gone, leaves none', { skip: noPython }, async () => {
    await plant.untilIt('daemon', 'has ended', ({ state }) => state === 'STOP');
    assert.deepEqual(plant.processes('daemon'), []);
  });

  test('ignores SIGTERM is killed after its termToKill', async () => {
    await plant.untilRuns('deaf');
    await until('it ignores SIGTERM', async () => plant.processes('deaf').length === 2);
    assert.deepEqual(await plant.operate('deaf', 'stop'), { status: 204, detail: '' });
    assert.deepEqual(plant.processes('deaf'), []);
    const { state, pid, 'exit-signal': signal, 'last-error': error } = await plant.live('deaf');
    assert.deepEqual([state, pid, signal, error], ['STOP', null, 'SIGKILL', null]);
  });

  test('has children everywhere has none when it is stopped', async () => {
    await until('its children are there', async () => plant.processes('has_children').length === 6);
    assert.deepEqual(await plant.operate('has_children', 'stop'), { status: 204, detail: '' });
    assert.deepEqual(plant.processes('has_children'), []);
  });

  test('has children that forget their mark has none when it is stopped', { skip: notRoot }, async () => {
    await until('they are there', async () => forgotten().length === 2);
    assert.deepEqual(await plant.operate('unmarked', 'stop'), { status: 204, detail: '' });
    assert.deepEqual(forgotten(), []);
  });

  test('becomes another process all the time is caught', { skip: notRoot || noPython }, async () => {
    const reported = await plant.untilIt('hopper', 'fails', ({ state }) => state === 'FAIL');
    assert.equal(reported['exit-code'], 6);
    assert.equal(plant.isHeld('hopper'), false);
  });

  test('is halted hears SIGTERM all the same', async () => {
    await until('it halts', async () => plant.starts('halts') === 1);
    assert.equal((await plant.operate('halts', 'stop')).status, 204);
    assert.equal((await plant.live('halts'))['exit-signal'], 'SIGTERM');
    assert.deepEqual(plant.processes('halts'), []);
  });

  test('ends five times within a minute is not started a sixth time, until somebody starts it', async () => {
    const fails = ['exits', 'exits_well', 'kills_itself', 'mute'];
    for (const name of fails) {
      const reported = await plant.untilIt(name, 'fails', ({ state }) => state === 'FAIL');
      assert.deepEqual([reported.restarts, reported['next-start'], reported.pid], [4, null, null], name);
      assert.match(
        reported['last-error']?.text ?? '',
        /^was started 5 times within 60 s, .*; read its log, and start it/,
        name,
      );
      assert.equal(plant.starts(name), 5, name);
      assert.deepEqual(plant.stored(name, 'twice'), [], name);
      assert.deepEqual(plant.processes(name), [], name);
    }
    const texts = await Promise.all(fails.map(async (name) => (await plant.live(name))['last-error']?.text));
    const last = texts.map((text) => /last it (.*)$/.exec(text ?? '')?.[1]?.split(';')[0]);
    assert.deepEqual(last, [
      'ended with exit code 3',
      'ended with exit code 0',
      'was ended by SIGSEGV',
      'was not connected to the channel for 300 ms',
    ]);
    assert.equal((await plant.operate('exits', 'start')).status, 204);
    await plant.untilIt('exits', 'is started again', ({ state, restarts }) => state === 'INIT' && restarts === 0);
    await plant.operate('exits', 'stop');
  });

  test('does nothing wrong does not notice, and the server has neither zombies nor much more memory', async (t) => {
    const { state, restarts, 'last-error': error } = await plant.live('good');
    assert.deepEqual([state, restarts, error, plant.starts('good')], ['RUN', 0, null, 1]);
    if (!noPython) await plant.operate('connects_only', 'stop');
    assert.deepEqual(
      plant.processes().map(({ module }) => module),
      ['good'],
    );
    await plant.noZombies();
    const grownMiB = (residentBytes(plant.server.pid) - startBytes) / 2 ** 20;
    t.diagnostic(`the server has ${grownMiB.toFixed(1)} MiB more than at its start`);
    t.diagnostic(await probe.stop());
    assert.ok(grownMiB < 100, `${grownMiB} MiB`);
  });
});
