// The server against requests that are made from its own OpenAPI document. FUZZ_REQUESTS says how many, TEST_SEED
// repeats a run.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { familyNames, isUnset } from '@telltale/schema';
import { ovenCertificate } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { HttpClient } from './http-client.ts';
import { fitting, type Json, type Schema } from './json-from-schema.ts';
import { OpenApiPromises } from './openapi-promises.ts';
import { anyRequest, describeRequest, type HttpRequest, link, type OpenApiDocument } from './requests-from-openapi.ts';
import { testSeed as seed } from './seeded-random.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const wanted = Number(process.env.FUZZ_REQUESTS ?? 8000);
const connections = 16;
const batchesARound = 10;
/** Of a round; what is left of it is for making a failure smaller. */
const mostMs = 60_000;

/** A transaction is the most that one request can say; a PUT comes next; what rarely meets its object is tried more. */
const weights: Record<string, number> = {
  runTransaction: 600,
  restoreRevision: 40,
  getRevision: 40,
  getConnectorStack: 60,
  getProviderStack: 60,
  getExecutable: 60,
  statExecutable: 60,
  deleteExecutable: 60,
  getCommandByAlias: 60,
  activateAlarm: 60,
  deactivateAlarm: 60,
  acknowledgeAlarm: 60,
  getConnector: 60,
  getProvider: 60,
  explainMeasurement: 60,
  explainCommand: 60,
  browseConnector: 120,
  startFunctionModule: 120,
  stopFunctionModule: 120,
  restartFunctionModule: 120,
  getFunctionModule: 60,
  readFunctionModuleLog: 60,
  getPicture: 60,
  getTrend: 60,
  getConfiguredPicture: 60,
  deleteConfiguredPicture: 60,
  backfillMeasurementArchive: 120,
  backfillCommandArchive: 120,
};
const weightOfPut = 120;
const weightOfInterval = 60;
/** Of what met nothing but refusals so far, once everything else is done: nearly every request, for some rounds more. */
const weightOfUntried = 100_000;
const mostRoundsMore = 20;

/** No schema says what a drawing is, how pens and axes fit together, or which files the page has: chance does not find it. */
const notByChance = new Set(['putConfiguredPicture', 'putPictureTable', 'putTrendTable', 'getPageFile']);
const drawn: readonly string[] = ['pictures', 'trends'];

const whole = [
  put('connectors', 'plc', { stackName: 'waterworks' }),
  put('providers', 'plc', { stackName: 'simulator' }),
  put('measurements', 'level', { datatype: 'd', connectorName: 'plc', address: 'sine(low=0, high=10)' }),
  put('measurements', '__proto__', { datatype: 'i' }),
  put('commands', 'flow', { datatype: 'd', euRangeLo: '0', euRangeHi: '5', initialValue: '1' }),
  put('alarms', 'level', { severity: 1, trgMeasurement: 'level', trgOperator: 'gt', trgRefValue: '9' }),
  put('pictures', 'level', { svg: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  put('trends', 'level', { pens: [] }),
  put('function-modules', 'pump_1', { termToKill: 1000, queryTimeout: 1000, executable: 'bin/run' }),
];

function put(family: string, name: string, fields: Record<string, unknown>) {
  return { operation: 'put', family, name, object: { name, ...fields } };
}

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
let document: OpenApiDocument;
let client: HttpClient;

before(async () => {
  server = await startServer(cleanup, { data: folder });
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
  client = new HttpClient(server.url, connections);
  cleanup.defer(() => client.close());
});

/** Makes the configuration what it was in the beginning, and renders it; links that were disabled are enabled. */
async function repair(): Promise<void> {
  const deletions = [];
  for (const family of familyNames) {
    const names = (await (await server.get(`/${family}/names`)).json()) as string[];
    deletions.push(...names.map((name) => ({ operation: 'delete', family, name })));
  }
  const answer = await server.send('POST', '/cfgdb/txn?render=1', { operations: [...deletions, ...whole] });
  assert.equal(answer.status, 204, await answer.text());
  for (const place of ['own/certificate.pem', 'rejected/oven.pem']) {
    const file = join(folder, 'stacks', 'connector-plc', place);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, ovenCertificate);
  }
  for (const links of ['connectors', 'providers']) {
    const enabled = await fetch(`${server.url}/data/${links}/plc/enable`, { method: 'POST' });
    assert.equal(enabled.status, 204, await enabled.text());
  }
  for (const place of ['plc', 'providers/plc']) {
    const set = await server.send('PUT', `/secrets/${place}/level`, { value: 'x' });
    assert.equal(set.status, 204, await set.text());
  }
  const url = `${server.config}/function-modules/pump_1/executable`;
  const headers = { 'content-type': 'application/octet-stream' };
  assert.equal((await fetch(url, { method: 'PUT', headers, body: '#!/bin/sh\n' })).status, 204);
}

async function everything(): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const path of [...familyNames, 'cfgdb/revisions', 'cfgdb/render', 'cfgdb/diff']) {
    texts[path] = await (await server.get(`/${path}`)).text();
  }
  return texts;
}

describe('requests of every kind', () => {
  test('get the answers that the document promises, whatever they ask', async (context) => {
    context.diagnostic(`TEST_SEED=${seed} FUZZ_REQUESTS=${wanted}`);
    await repair();
    const sample = new Uint8Array(await (await server.get('/cfgdb/database')).arrayBuffer());
    for (const [path, item] of Object.entries(document.paths)) {
      if (item.put !== undefined) weights[item.put.operationId] ??= weightOfPut;
      if (!path.includes('{t_since}')) continue;
      for (const { operationId } of Object.values(item)) weights[operationId] ??= weightOfInterval;
    }
    const promises = new OpenApiPromises(document);
    const bytes = (text: string) => new TextEncoder().encode(text);
    const samples = {
      uploadDatabase: sample,
      browseConnector: bytes('{"limit":5}'),
      putAlarmTable: bytes('name,severity,properties.__proto__\nlevel,1,x\n'),
      putCommandTable: bytes('name;datatype;initialValue\nflow;d;1,5\n'),
      putMeasurementTable: bytes('name,datatype,deadband\nlevel,d,0.5\n__proto__,i,\n'),
      putConnectorTable: bytes('name,vars.host\nplc,\n'),
      putProviderTable: bytes('name\tproperties.a\nplc\t=1\n'),
      putFunctionModuleTable: bytes('name,termToKill,queryTimeout\npump_1,1000,1000\n'),
      putExecutable: bytes('#!/bin/sh\n'),
      cleanPicture: bytes('{"svg":"<svg xmlns=\\"http://www.w3.org/2000/svg\\"><g onclick=\\"x\\"/></svg>"}'),
      copyObjects: bytes('{"family":"measurements","name":"level","to":"level_2"}'),
      backfillMeasurementArchive: bytes('[["d1",[1600000000,0],192]]'),
      backfillCommandArchive: bytes('[["d1",[1600000000,0]]]'),
    };
    const statuses = new Map<number, number>();
    const brokenPromise = async (request: HttpRequest): Promise<string | undefined> => {
      const answer = await client.send(request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const wrong = promises.wrongWith(request, answer);
      if (wrong === undefined) return undefined;
      return `${describeRequest(request)}\n→ ${answer.status} ${answer.body.subarray(0, 2000)}\n${wrong}`;
    };
    let sent = 0;
    let rounds = 0;
    const sendARound = async (weightsThen: Readonly<Record<string, number>>): Promise<void> => {
      const any = anyRequest({ document, weights: weightsThen, samples });
      const batch = fc.array(any, { minLength: 1, maxLength: 80, size: 'max' });
      const property = fc.asyncProperty(batch, async (requests) => {
        sent += requests.length;
        const broken = await Promise.all(
          requests.map((request) =>
            brokenPromise(request).catch((error: unknown) => `${describeRequest(request)}\n→ ${error}`),
          ),
        );
        assert.deepEqual(
          broken.filter((each) => each !== undefined),
          [],
        );
      });
      const options = { seed: (seed * 1000 + rounds) | 0, numRuns: batchesARound, interruptAfterTimeLimit: mostMs };
      await fc.assert(property, options);
      rounds += 1;
      await repair();
    };
    // Whatever is asked of these is refused: those on access, signatures and members of a bus need users, the others sites and nodes.
    const others = ['/access/', '/data/approvals', '/bus/', '/sites/{', '/data/node/'];
    const ofOthers = new Set(
      Object.entries(document.paths)
        .filter(([path]) => others.some((start) => path.startsWith(start)))
        .flatMap(([, item]) => Object.values(item).map(({ operationId }) => operationId)),
    );
    const untriedOnes = () => promises.neverSucceeded().filter((id) => !ofOthers.has(id) && !notByChance.has(id));
    while (sent < wanted) await sendARound(weights);
    for (let more = 0; more < mostRoundsMore; more++) {
      const untried = untriedOnes();
      if (untried.length === 0) break;
      await sendARound({ ...weights, ...Object.fromEntries(untried.map((id) => [id, weightOfUntried])) });
    }
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
    context.diagnostic(`${sent} requests: ${counts.join(', ')}`);
    assert.deepEqual(untriedOnes(), [], 'operations that nobody tried in earnest');
  });

  test('leave a server that is ready, and a configuration that can be rendered', async () => {
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    assert.deepEqual(await (await server.get('/cfgdb/render')).json(), { up_to_date: true });
  });

  test('leave nothing in the log, and a restart finds the same content', async () => {
    const atEnd = await everything();
    client.close();
    const { code, stdout, stderr } = await server.end();
    assert.equal(code, 0);
    assert.equal(stderr, '');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: number; msg: string; module?: string });
    // That what was uploaded at random cannot be run is worth a line.
    assert.deepEqual(
      lines.filter(({ level, module }) => level > 30 && module === undefined),
      [],
    );
    server = await startServer(cleanup, { data: folder });
    client = new HttpClient(server.url, connections);
    assert.deepEqual(await everything(), atEnd);
  });
});

describe('a body that fits its schema in the document', () => {
  for (const family of familyNames.filter((each) => !drawn.includes(each))) {
    test(`is taken by ${family}, and comes back as it was sent, but for what is not set`, async () => {
      const path = `/config/v2/${family}/{name}`;
      const schemas = document.components.schemas;
      const schema = document.paths[path]?.put?.requestBody?.content['application/json']?.schema as Schema;
      const property = fc.asyncProperty(fitting(schema, schemas), async (value) => {
        const body = link(value, 'level') as Record<string, Json>;
        const answer = await server.send('PUT', `/${family}/level`, body);
        assert.equal(answer.status, 204, `${JSON.stringify(body)} ${await answer.text()}`);
        const set = Object.entries(body).filter(([field, each]) => !isUnset(field, each));
        assert.deepEqual(await (await server.get(`/${family}/level`)).json(), Object.fromEntries(set));
      });
      await fc.assert(property, { seed, numRuns: 60 });
    });
  }
});
