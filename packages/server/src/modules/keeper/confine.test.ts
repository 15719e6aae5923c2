// Promises of the command line of a launch: what it bounds, on which machine, and what it admits not to hold.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Controller, confine } from './confine.ts';
import type { Bounds, Launch } from './keeper-protocol.ts';
import type { Machine } from './machine.ts';

const MiB = 1 << 20;
const own = { uid: 61300, gid: 61300 };
const executable = '../bin/loop';
const whole: Machine = {
  setpriv: ['/usr/bin/setpriv', '--inh-caps=-all', '--no-new-privs'],
  prlimit: '/usr/bin/prlimit',
  nice: '/usr/bin/nice',
  limits: { openFiles: 20_000, processes: 90_000, dataBytes: Number.POSITIVE_INFINITY },
};
const bare: Machine = { ...whole, setpriv: undefined, prlimit: undefined, nice: undefined };
const all: Bounds = { user: own, memoryBytes: 64 * MiB, cpuCores: 0.5, maxProcesses: 20 };
const none: Bounds = { user: own, memoryBytes: undefined, cpuCores: undefined, maxProcesses: undefined };

function run(machine: Machine, bounds: Bounds, held: readonly Controller[] = []) {
  const launch: Launch = {
    run: 1,
    module: 'loop',
    executable: '/uploads/loop',
    uploaded: undefined,
    sha256: undefined,
    env: {},
    bounds,
    termToKillMs: 1000,
  };
  const { command, args, ...rest } = confine(machine, launch, { executable, held: new Set(held) });
  return { line: [command, ...args].join(' '), ...rest };
}

describe('a machine with all programs', () => {
  test('starts a module with a user of its own, without privileges, cores and more files or processes than are good', () => {
    const { line, options, missing } = run(whole, none);
    assert.equal(
      line,
      '/usr/bin/setpriv --inh-caps=-all --no-new-privs /usr/bin/prlimit --core=0 --nofile=4096 --nproc=256 ../bin/loop',
    );
    assert.deepEqual(options, own);
    assert.deepEqual(missing, []);
  });

  test('leaves to a control group what that holds', () => {
    const { line, missing, watchedMemoryBytes } = run(whole, all, ['memory', 'cpu', 'pids']);
    assert.equal(
      line,
      '/usr/bin/setpriv --inh-caps=-all --no-new-privs /usr/bin/prlimit --core=0 --nofile=4096 ../bin/loop',
    );
    assert.deepEqual(missing, []);
    assert.equal(watchedMemoryBytes, undefined);
  });

  test('without a control group does what it can, and says what that is', () => {
    const { line, missing, watchedMemoryBytes } = run(whole, all);
    assert.match(line, / \/usr\/bin\/nice -n 10 \/usr\/bin\/prlimit .* --nproc=20 --data=872415232 \.\.\/bin\/loop$/);
    assert.equal(watchedMemoryBytes, 64 * MiB);
    assert.deepEqual(missing, [
      'the CPU of loop is not limited: there is no cgroup v2 with cpu that the server may use; it has a low priority (nice 10) instead.',
      'the memory of loop is looked at every few seconds only (a process of it can have 832 MiB until then): there is no cgroup v2 with memory that the server may use.',
    ]);
  });

  test('never asks for more than the keeper itself may have, which would be refused', () => {
    const limits = { openFiles: 1024, processes: 10, dataBytes: 100 * MiB };
    const { line } = run({ ...whole, limits }, all);
    assert.match(line, /--nofile=1024 --nproc=10 --data=104857600 /);
  });
});

describe('a module that shares its user', () => {
  test('has no bound of processes, which would count those of others, and it is said', () => {
    for (const user of [undefined, { uid: 1000, gid: 1000 }]) {
      const { line, missing } = run(whole, { ...none, user, maxProcesses: 20 });
      assert.doesNotMatch(line, /nproc/);
      assert.match(missing.join('\n'), /^the number of processes of loop is not limited: it has no user of its own/m);
      assert.doesNotMatch(run(whole, { ...none, user }).missing.join('\n'), /number of processes/);
    }
  });

  test('with the server is said to run as it, and nobody else is named', () => {
    const { line, options, missing } = run(whole, { ...none, user: undefined });
    assert.deepEqual(options, {});
    assert.match(line, /^\/usr\/bin\/setpriv --inh-caps=-all --no-new-privs /);
    assert.deepEqual(missing, ['loop runs as the server itself: it can read and change what the server can.']);
  });
});

describe('a machine without these programs', () => {
  test('starts the module itself, still as its user, and says all that is not held', () => {
    const { line, options, missing, watchedMemoryBytes } = run(bare, all);
    assert.equal(line, executable);
    assert.deepEqual(options, own);
    assert.equal(watchedMemoryBytes, 64 * MiB);
    assert.deepEqual(
      missing.map((sentence) => sentence.split(':')[0]),
      [
        'loop can raise its privileges by set-user-id programs',
        'the CPU of loop is not limited',
        'the number of processes of loop is not limited',
        'the memory of loop is looked at every few seconds only',
        "open files and core dumps of loop are as the server's",
      ],
    );
    assert.doesNotMatch(missing.join('\n'), /nice 10/);
  });

  test('with control groups holds what they hold', () => {
    const { missing } = run(bare, all, ['memory', 'cpu', 'pids']);
    assert.equal(missing.length, 2);
  });
});
