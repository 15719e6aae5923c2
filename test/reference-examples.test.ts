// Every example of the reference page, pasted into a shell as it stands, does what the page says, against the plant that
// the page was asked of.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ovenCertificate } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { moduleArgs, startServer } from './server-process.ts';

const withoutCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'there is no curl on this machine';
const program = '#!/bin/sh\nexec sleep 1000\n';
const module = { name: 'dosing', executable: 'dosing', termToKill: 1000, queryTimeout: 1000 };

interface Example {
  readonly id: string;
  readonly command: string;
  /** The status that the page says it answers with. */
  readonly status: string;
}

const plain = (html: string) => html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

function examplesOf(page: string): Example[] {
  const articles = page.matchAll(/<article class="operation" id="(\w+)".*?<\/article>/gs);
  return Array.from(articles, ([article, id = '']) => ({
    id,
    command: plain(/<pre class="code command"><code>([^<]*)</.exec(article)?.[1] ?? ''),
    status: /<p class="answer"><span class="status[^>]*>(\d+)</.exec(article)?.[1] ?? '',
  }));
}

/** Those that read first, those that rename after others, those that delete last: what is inside of an object before the object. */
function inOrder(examples: readonly Example[]): Example[] {
  const byMethod = Map.groupBy(examples, ({ command }) => /-X (\w+)/.exec(command)?.[1] ?? 'GET');
  const of = (method: string) => byMethod.get(method) ?? [];
  const [renames = [], posts = []] = [true, false].map((isRename) =>
    of('POST').filter(({ id }) => id.startsWith('rename') === isRename),
  );
  return [...of('GET'), ...posts, ...renames, ...of('PUT'), ...of('DELETE').toReversed()];
}

test('every example of the reference page works against the demo plant', { skip: withoutCurl }, async (t) => {
  const folder = temporaryFolder(t);
  // One that the plant presents, and that was presented to it: whatever can be done to a certificate can be done to it.
  for (const place of ['own/certificate.pem', 'rejected/press.pem']) {
    const file = join(folder, 'data', 'stacks', 'connector-waterworks', place);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, ovenCertificate);
  }
  const server = await startServer(t, { data: join(folder, 'data'), args: ['--demo', ...moduleArgs] });
  const config = async (method: string, path: string, type: string, body: string) => {
    const answer = await fetch(`${server.url}/config/v2/${path}`, { method, headers: { 'content-type': type }, body });
    assert.ok(answer.ok, await answer.text());
  };
  await config('PUT', 'function-modules/dosing', 'application/json', JSON.stringify(module));
  await config('PUT', 'function-modules/dosing/executable', 'application/octet-stream', program);
  await config('POST', 'cfgdb/render', 'application/json', '');
  const page = await (await fetch(`${server.url}/docs/`)).text();
  const examples = examplesOf(page);
  assert.ok(examples.length > 100);
  const failed: string[] = [];
  for (const { id, command, status } of inOrder(examples)) {
    assert.ok(command.includes(server.url), command);
    // Access needs users, and where there are users all others need credentials; the demo plant has no secrets, no sites and no other
    // node. All have tests of their own, and so have the files of the page, whose names are known to it alone.
    if (/\/(access|assets|secrets|bus|sites\/\w+|data\/(approvals|node))\b/.test(command)) continue;
    const pasted = command.replace(/^curl( -i)?/, "curl -sS -w '\\n%{http_code}'");
    const { stdout, stderr } = spawnSync('sh', ['-c', pasted], { cwd: folder, encoding: 'utf8', maxBuffer: 64 << 20 });
    if (!stdout.endsWith(`\n${status}`)) failed.push(`${id}, not ${status}:\n${command}\n${stdout}${stderr}`);
  }
  assert.equal(failed.length, 0, failed.join('\n\n'));
});
