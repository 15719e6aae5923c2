// What a stranger may send as a configuration database, and what becomes of it: nothing.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { familyNames, type Problem, problemMediaType, problemPage } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { uploadFile } from './database-file.ts';
import { brokenFiles, foreignFiles, type HostileFile, unusualDefinitions } from './hostile-files.ts';
import { costlyFiles, hostileRows, largeFiles } from './hostile-rows.ts';
import { childrenOf, peakBytes, watchChildren } from './process-memory.ts';
import { type ServerProcess, startServer } from './server-process.ts';

/** Of the processor, which the reader may have: an answer within 5 s is made of it. */
const readerLimitMs = 4500;
const MiB = 1 << 20;
/** The limit of the child, and what it can take in the 20 ms between two looks at it. */
const childLimitBytes = 384 * MiB;
const serverLimitBytes = 512 * MiB;
/** What the server reads before it sees that it is too much is a quarter of a gigabyte, and in memory that is more. */
const serverLimitForLargeBytes = 2048 * MiB;

const cleanup = suiteCleanup();
const data = temporaryFolder(cleanup);
const files = temporaryFolder(cleanup);
const path = join(files, 'hostile.sqlite');
let server: ServerProcess;
let template: Uint8Array;

before(async () => {
  server = await startServer(cleanup, { data, args: ['--demo'] });
  const measurement = { name: 'edited', datatype: 'd', description: 'not rendered yet' };
  const answer = await server.send('PUT', '/measurements/edited', measurement);
  assert.equal(answer.status, 204, await answer.text());
  template = new Uint8Array(await (await server.get('/cfgdb/database')).arrayBuffer());
  const log = join(data, 'cfgdb.sqlite-wal');
  await until(() => statSync(log).size === 0, 'the log is not in the database yet');
});

after(async () => {
  const { code, stdout, stderr } = await server.end();
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.doesNotMatch(stdout, /"level":50/, 'the server takes a fault for its own');
});

/** Every file of the data folder by its bytes, but for the archive and the audit trail, to which is added all the time. */
function filesOf(folder: string): Record<string, string> {
  const all = globSync('**', { cwd: folder, exclude: ['archive/**', 'audit/**'] });
  const names = all.filter((name) => statSync(join(folder, name)).isFile());
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return Object.fromEntries(names.sort().map((name) => [name, hash(name)]));
}

async function everything(): Promise<Record<string, unknown>> {
  const paths = [...familyNames.map((family) => `/${family}/`), '/cfgdb/render', '/cfgdb/diff', '/cfgdb/revisions'];
  const bodies = paths.map(async (part) => [part, await (await server.get(part)).json()]);
  return { files: filesOf(data), ...Object.fromEntries(await Promise.all(bodies)) };
}

async function until(condition: () => boolean, otherwise: string): Promise<void> {
  for (const deadline = Date.now() + 5000; !condition(); await setTimeout(2)) {
    assert.ok(Date.now() < deadline, otherwise);
  }
}

async function assertRefused({ reason, write }: HostileFile, limitBytes: number): Promise<void> {
  const state = await everything();
  write(path, template);
  const readers = watchChildren(server.pid);
  const { status, type, body } = await uploadFile(server.config, path, '?render=1').finally(() =>
    rmSync(path, { force: true }),
  );
  const { peakBytes: peak, busyMs } = readers.stop();
  assert.equal(status, 500, body);
  assert.ok(type.startsWith(problemMediaType), type);
  const problem = JSON.parse(body) as Problem;
  assert.equal(problem.type, problemPage('upload-refused'), body);
  assert.match(problem.detail, reason);
  assert.ok(body.length < 20_000, `the answer has ${body.length} characters`);
  assert.ok(busyMs < readerLimitMs, `the reader worked for ${busyMs} ms`);
  assert.ok(peak < childLimitBytes, `the reader took ${Math.round(peak / MiB)} MiB`);
  const peakOfServer = peakBytes(server.pid) ?? 0;
  assert.ok(peakOfServer < limitBytes, `the server took ${Math.round(peakOfServer / MiB)} MiB`);
  await until(() => childrenOf(server.pid).length === 0, 'the reader still runs');
  assert.deepEqual(await everything(), state);
}

function eachIsRefused(hostile: readonly HostileFile[], limitBytes = serverLimitBytes): void {
  for (const file of hostile) test(file.title, () => assertRefused(file, limitBytes));
}

describe('an upload is refused with its reason, within 5 s, in little memory, and changes nothing, where it is', () => {
  eachIsRefused([...brokenFiles, ...foreignFiles]);
});

describe('an upload is refused with its reason, within 5 s, in little memory, and changes nothing, where it has', () => {
  eachIsRefused([...unusualDefinitions, ...hostileRows, ...costlyFiles]);
  eachIsRefused(largeFiles, serverLimitForLargeBytes);
});
