// The shared suite: a server with JSON in this process for the connector, a reader of the page for the exporter.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { type Datatype, parseExactJson, type Value } from '@telltale/schema';
import { type ConnectorWorld, conformance, type ProviderWorld, type Seen } from '@telltale/stack-kit/testing';
import { parseCommand, parseMeasurement } from '../src/address.ts';
import { parseMetric } from '../src/metric-address.ts';
import stack from '../src/stack.ts';
import { JsonServer } from './json-server.ts';
import { parseTextFormat } from './parse-exposition.ts';

const jsonOf = (value: Value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));

const connector: ConnectorWorld = {
  stack,
  transport: 'tcp',
  recognisesGarbling: false,
  distinguishesAnswers: false,
  linkIsConnection: false,
  startDevice: async () => {
    const server = await JsonServer.start();
    const values = new Map<string, Map<string, Value>>();
    const written = new Map<string, Value>();
    server.onOther = ({ method, url, body }) => {
      if (method === 'GET') {
        const page = values.get(url);
        if (page === undefined) return undefined;
        return { body: `{${Array.from(page, ([name, value]) => `${JSON.stringify(name)}:${jsonOf(value)}`).join()}}` };
      }
      if (!url.startsWith('/set/')) return { status: 403, body: 'not yours' };
      written.set(`${method} ${url}`, parseExactJson(body) as Value);
      return { status: 204 };
    };
    return {
      port: server.port,
      set: (address, value) => {
        if (!address.startsWith('/')) {
          written.set(address, value);
          return;
        }
        const place = parseMeasurement(address);
        assert.ok(typeof place !== 'string');
        const page = values.get(place.path) ?? new Map<string, Value>();
        values.set(place.path, page.set(place.pointer[0] as string, value));
      },
      get: (address) => {
        assert.notEqual(typeof parseCommand(address), 'string');
        return written.get(address);
      },
      stop: () => server.stop(),
    };
  },
  variables: ({ host, port }) => ({ baseUrl: `http://${host}:${port}`, scanPeriodMs: '20', timeoutMs: '300' }),
  badVariables: [{ baseUrl: 'plc' }, { baseUrl: 'ftp://plc' }, { user: 'x' }, { headers: 'x' }, { timeoutMs: '0' }],
  measurements: [
    { address: '/one#/level', datatype: 'd', values: [1.5, 2.5, 3.5] },
    { address: '/one#/count', datatype: 'l', values: [9007199254740993n, 9007199254740995n, 9007199254740997n] },
    { address: '/two#/name', datatype: 's', values: ['anna', 'berta', 'carla'] },
    { address: '/two#/on', datatype: 'b', values: [true, false] },
  ],
  commands: [
    { address: 'PUT /set/speed', datatype: 'i', values: [101, 102, 103] },
    { address: 'POST /set/name', datatype: 's', values: ['dora', 'emil', 'fritz'] },
  ],
  refused: { address: 'PUT /locked', datatype: 'i', value: 7 },
  unknown: { address: '/one#/unknown', datatype: 'i' },
};

const served: { address: string; datatype: Datatype; values: [Value, Value, Value] }[] = [
  { address: 'tank_level_metres{tank="1"}', datatype: 'd', values: [1.5, 2.5, 3.5] },
  { address: 'tank_level_metres{tank="2"}', datatype: 'd', values: [11.5, 12.5, 13.5] },
  { address: 'pump_starts', datatype: 'l', values: [9007199254740993n, 9007199254740995n, 9007199254740997n] },
  { address: 'pump_state', datatype: 's', values: ['stopped', 'starting', 'running'] },
];

function seenOf(page: string, address: string): Seen {
  const { datatype } = served.find((sample) => sample.address === address) ?? assert.fail();
  const metric = parseMetric(address);
  assert.ok(typeof metric !== 'string');
  const { samples = [] } = parseTextFormat(page).get(datatype === 's' ? `${metric.name}_info` : metric.name) ?? {};
  const sample = samples.find(({ labels }) => [...metric.labels].every(([name, value]) => labels[name] === value));
  if (sample === undefined) return { value: undefined, isGood: false };
  const value = datatype === 's' ? sample.labels.value : datatype === 'l' ? BigInt(sample.text) : sample.value;
  return { value, isGood: true, timeUs: (sample.timestamp ?? 0) * 1000 };
}

const provider: ProviderWorld = {
  stack,
  transport: 'tcp',
  variables: ({ host, port }) => ({ host, port: String(port), timestamps: 'true', maxClients: '100' }),
  badVariables: [{ host: '0.0.0.0' }, { port: '0' }, { allowedClients: 'x' }, { badQuality: 'lie' }],
  greedy: Buffer.from('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  connectClient: async ({ host, port }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const read = (address: string): Promise<Seen> =>
      new Promise((resolve, reject) => {
        const asking = request({ agent, host, port, path: '/metrics' }, (response) => {
          response.setEncoding('utf8');
          let page = '';
          response.on('data', (chunk: string) => {
            page += chunk;
          });
          response.on('error', reject);
          response.on('end', () => resolve(seenOf(page, address)));
        });
        asking.on('error', reject);
        asking.end();
      });
    return {
      read,
      write: () => Promise.reject(new Error('nothing is written through an exporter')),
      close: () => agent.destroy(),
    };
  },
  measurements: served,
  commands: [],
};

conformance('http', { connector, provider });
