// Promises of the processes that stacks start: they speak with their thread, and nothing is left of them after it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf, startHost } from '../../test/host-bench.ts';

/** One that has ended and that nobody has reaped is there as well. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function setUp() {
  const bench = await startHost();
  const { host, lines, until, start } = bench;
  const said = () => lines.map(({ msg }) => /^process said (\d+)$/.exec(msg)?.[1]).filter((each) => each !== undefined);
  start('a', 'good', ['process', 'exit', 'missing process']);
  await until(() => bench.events.includes('a 1=1'));
  await host.write('a', 10, 5);
  await until(() => said().length === 2);
  const [pid = '', echo] = said();
  assert.equal(echo, '5');
  assert.ok(isThere(Number(pid)));
  return { ...bench, pid: Number(pid) };
}

test('a process speaks with the thread that asked for it, and is ended and reaped when that is terminated', async (t) => {
  const { host, until, pid } = await setUp();
  t.after(() => host.close(2000));
  assert.match(await problemOf(host.write('a', 11, 1)), /exit code 3/);
  await until(() => !isThere(pid));
});

test('a process is gone when the host is closed, whatever its stack does', async () => {
  const { host, pid } = await setUp();
  await host.close(2000);
  assert.ok(!isThere(pid));
});

test('the end of a process that cannot run is reported', async (t) => {
  const { host, lines, until } = await setUp();
  t.after(() => host.close(2000));
  await host.write('a', 12, 1);
  await until(() => lines.some(({ msg }) => /^process ended: it has ended: exit code 1$/.test(msg)));
});
