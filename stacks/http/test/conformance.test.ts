// The shared suite: a server with JSON in this process for the connector, a reader of the page for the exporter.
import assert from 'node:assert/strict';
import { parseExactJson, type Value } from '@telltale/schema';
import { type ConnectorWorld, conformance } from '@telltale/stack-kit/testing';
import { parseCommand, parseMeasurement } from '../src/address.ts';
import stack from '../src/stack.ts';
import { provider } from './conformance-provider.ts';
import { JsonServer } from './json-server.ts';

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

conformance('http', { connector, provider });
