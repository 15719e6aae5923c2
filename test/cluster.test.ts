// `npm run cluster`: starts a whole plant, and what it says to try does what it says.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { processesIn } from './engines/engine-folder.ts';
import { withoutEtcd } from './engines/etcd.ts';
import { withoutNats } from './engines/nats.ts';
import { withoutPostgres } from './engines/postgres-programs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const limit = { deadlineMs: 240_000 };

interface Tried {
  readonly act: string;
  readonly look: string;
  readonly shows: string;
  readonly back: string | undefined;
}

/** As a person reads it. */
function triedIn(text: string): Tried[] {
  const each = text.matchAll(/^\d\. .*\n {5}(.*)\n {3}look: +(.*)\n {3}it shows: (.*)\n(?: {3}back: +(.*)\n)?/gm);
  return Array.from(each, ([, act = '', look = '', shows = '', back]) => ({ act, look, shows, back }));
}

function paste(command: string): string {
  return packed(spawnSync('sh', ['-c', command], { cwd: root, encoding: 'utf8' }).stdout);
}

/** A terminal shows JSON with spaces, a pipe without. */
function packed(text: string): string {
  return text.replaceAll(' ', '');
}

test('a cluster starts by one command, does what it says when a part is killed, and leaves nothing', {
  skip: withoutEtcd || withoutNats || withoutPostgres(),
}, async (t) => {
  const folder = temporaryFolder(t);
  // Engines run as somebody else, who has to get there.
  spawnSync('chmod', ['755', folder]);
  const child = spawn(process.execPath, ['scripts/cluster.ts', '--folder', folder], { cwd: root });
  const closed = once(child, 'close');
  cleanupOf(t).defer(async () => {
    child.kill('SIGINT');
    await closed;
  });
  let text = '';
  const hear = (said: string) => {
    text += said;
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (said) => hear(said));
  await until(
    'it is ready',
    () => {
      assert.equal(child.exitCode, null, text);
      return /^Ready\./m.test(text);
    },
    limit,
  );
  const tried = triedIn(text);
  assert.equal(tried.length, 6, text);
  assert.doesNotMatch(text, /:[^@/\s]+@/); // no password
  for (const { act, look, shows, back } of tried) {
    paste(act);
    await until(`after ${act}, ${look} shows ${shows}`, () => paste(look).includes(packed(shows)), limit);
    if (back === undefined) continue;
    paste(back);
    await until(`after ${back}, it shows that no more`, () => !paste(look).includes(packed(shows)), limit);
  }
  child.kill('SIGINT');
  assert.deepEqual(await closed, [0, null]);
  assert.match(text, /Nothing of it is left\.\n$/);
  assert.deepEqual(processesIn(folder), []);
  await until('its folder is empty', () => readdirSync(folder).length === 0);
});
