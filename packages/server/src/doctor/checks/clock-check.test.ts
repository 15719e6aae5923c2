import assert from 'node:assert/strict';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import { doctorBench, found, nowUs, put } from '../../../test/doctor-bench.ts';
import type { Machine } from '../machine.ts';
import { checkClock } from './clock-check.ts';

const says = (text: string | undefined): Partial<Machine> => ({ run: async () => text });

test('a clock that is synchronised is in order; one that is not, or that nobody knows of, is looked at', async (t) => {
  const text = async (machine: Partial<Machine>, system = {}) =>
    (await found(checkClock, doctorBench(t, { machine, system }))).join();
  assert.match(await text(says('yes\n')), /^ok: /);
  assert.match(await text(says(undefined), { 'run/systemd/timesync/synchronized': '' }), /^ok: /);
  assert.match(await text(says('no\n')), /^note: It is not synchronised/);
  assert.match(await text(says(undefined)), /^note: Whether it is synchronised cannot be seen/);
});

test('a clock without a battery, and one that was set back, are wrong', async (t) => {
  const clock = new ManualClock(86_400_000_000);
  assert.match((await found(checkClock, doctorBench(t, { machine: { clock } }))).join(), /^wrong: It shows 1970-01-02/);
  const bench = doctorBench(t, { machine: says('yes') });
  const file = join(bench.folder, 'archive/journal');
  put(file, '');
  utimesSync(file, nowUs / 1e6, nowUs / 1e6);
  assert.match((await found(checkClock, bench)).join(), /^ok: /);
  utimesSync(file, nowUs / 1e6 + 3600, nowUs / 1e6 + 3600);
  assert.match(
    (await found(checkClock, bench)).join(),
    /^wrong: FOLDER\/archive\/journal was written at 2026-01-01T01:00.* set back/,
  );
});

test('a TZ that is no time zone is looked at', async (t) => {
  const text = async (TZ: string) =>
    (await found(checkClock, doctorBench(t, { machine: { ...says('yes'), environment: { TZ } } }))).join();
  assert.match(await text('Europe/Wien'), /^note: TZ is "Europe\/Wien", which is no time zone/);
  for (const good of ['', 'UTC', ':Europe/Vienna']) assert.match(await text(good), /^ok: /, good);
});
