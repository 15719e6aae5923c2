// Function modules of a real server that speaks TLS with a certificate of its own: they reach it on loopback, with their tokens, and
// nobody else does there.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { moduleFolder } from '../packages/server/src/modules/module-folder.ts';
import { closeServer, makeToken, makeUser } from './closed-server.ts';
import { put } from './live-plant.ts';
import { moduleArgs, startServer } from './server-process.ts';
import { until } from './until.ts';

/** Asks for all kinds of things, with its token and without, and writes down what it was answered. */
const program = `#!/bin/sh
exec "$TELLTALE_NODE" -e '
const { TELLTALE_BASE_URL: base, TELLTALE_WS_URL: channel, TELLTALE_TOKEN: token } = process.env;
const bearer = { authorization: "Bearer " + token };
const ask = async (method, path, headers = bearer) => (await fetch(base + path, { method, headers })).status;
const read = (headers) => new Promise((resolve) => {
  const socket = new WebSocket(channel, { headers });
  socket.onerror = () => resolve("refused");
  socket.onopen = () => socket.send(JSON.stringify({ request: "ReadMeasurements", id: 1 }));
  socket.onmessage = ({ data }) => { resolve(Object.keys(JSON.parse(data).measurements)); socket.close(); };
});
(async () => {
  const found = {
    base,
    listed: await ask("GET", "/measurements/level"),
    unlisted: await ask("GET", "/measurements/secret"),
    written: await ask("PUT", "/commands/valve?value=i5"),
    unwritten: await ask("PUT", "/commands/pump?value=i5"),
    configuration: await ask("GET", "/../config/v2/measurements"),
    withoutToken: await ask("GET", "/measurements/level", {}),
    channel: await read(bearer),
    channelWithoutToken: await read({}),
  };
  require("node:fs").writeFileSync("found.part", JSON.stringify({ ...found, address: base }));
  require("node:fs").renameSync("found.part", "found.json");
})();
'
`;

test('a module of a closed service with TLS reads and writes what it lists, and nobody else comes in at its address', async (t) => {
  const data = temporaryFolder(t);
  const open = await startServer(t, { data, args: moduleArgs });
  const probe = {
    executable: 'probe.sh',
    runMode: 'once',
    termToKill: 1000,
    queryTimeout: 0,
    properties: { reads: 'level', writes: 'valve' },
  };
  const configured = await open.send('POST', '/cfgdb/txn', {
    operations: [
      put('measurements', 'level', { datatype: 'd' }),
      put('measurements', 'secret', { datatype: 'd' }),
      put('commands', 'valve', { datatype: 'i' }),
      put('commands', 'pump', { datatype: 'i' }),
      put('function-modules', 'probe', probe),
    ],
  });
  assert.equal(configured.status, 204, await configured.text());
  const path = '/function-modules/probe/executable';
  const uploaded = await open.sendBytes('PUT', path, 'application/octet-stream', Buffer.from(program));
  assert.equal(uploaded.status, 204, await uploaded.text());
  const rendered = await open.send('POST', '/cfgdb/render');
  assert.equal(rendered.status, 204, await rendered.text());
  const admin = await closeServer(open, data);
  const anna = await makeUser(open, admin, 'anna', [{ role: 'operator' }]);
  const token = await makeToken(open, anna, 'reader', [{ role: 'operator' }]);
  await open.end();

  const file = join(data, 'modules', moduleFolder('probe'), 'home', 'found.json');
  rmSync(file, { force: true }); // of the run before
  const served = await startServer(t, { data, args: [...moduleArgs, '--tls'] });
  assert.match(served.url, /^https:/);
  const isNew = () => existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).withoutToken === 401;
  await until('the module has asked for everything', async () => isNew());
  const { address, ...found } = JSON.parse(readFileSync(file, 'utf8'));
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/data$/);
  assert.deepEqual(found, {
    base: address,
    channel: ['level'],
    listed: 200,
    unlisted: 404,
    written: 204,
    unwritten: 404,
    configuration: 403,
    withoutToken: 401,
    channelWithoutToken: 'refused',
  });
  const { origin } = new URL(address);
  for (const headers of [{}, anna.headers, token.headers, { authorization: 'Basic eDp5' }]) {
    for (const [method, path] of [
      ['GET', '/data/measurements'],
      ['GET', '/healthz'],
      ['GET', '/docs/'],
      ['POST', '/access/sign-in'],
    ] as const) {
      const { status } = await fetch(origin + path, { method, headers });
      assert.ok(status === 401 || status === 403, `${method} ${path} ${status}`);
    }
  }
});
