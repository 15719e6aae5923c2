// The exporter as the conformance suite sees it, through a reader of its page.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { Datatype, Value } from '@telltale/schema';
import type { ProviderWorld, Seen } from '@telltale/stack-kit/testing';
import { parseMetric } from '../src/metric-address.ts';
import stack from '../src/stack.ts';
import { parseTextFormat } from './parse-exposition.ts';

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

export const provider: ProviderWorld = {
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
