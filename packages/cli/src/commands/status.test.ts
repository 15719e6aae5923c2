import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetrics } from '@telltale/client';
import { connectorStates } from './status.ts';

test('each connector has the state whose sample is not 0', () => {
  const sample = (connector: string, state: string, value: number) =>
    `telltale_connector_state{connector="${connector}",state="${state}"} ${value}\n`;
  const text = sample('plc', 'up', 1) + sample('plc', 'down', 0) + sample('old', 'up', 0) + sample('old', 'down', 1);
  assert.deepEqual(connectorStates(readMetrics(text)), [
    { name: 'plc', state: 'up' },
    { name: 'old', state: 'down' },
  ]);
});

test('where the service counts no connectors, their states are not known', () => {
  assert.equal(connectorStates(readMetrics('telltale_configuration_up_to_date 1\n')), null);
});
