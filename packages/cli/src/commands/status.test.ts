import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMetrics } from '@telltale/client';
import { archiveCell, linkStates } from './status.ts';

test('each connector and provider has the state whose sample is not 0', () => {
  const sample = (role: string, name: string, state: string, value: number) =>
    `telltale_stack_state{role="${role}",name="${name}",state="${state}"} ${value}\n`;
  const text = `telltale_stack_up{role="connector",name="plc"} 1\n${sample('connector', 'plc', 'up', 1)}${sample('connector', 'plc', 'down', 0)}${sample('provider', 'out', 'failed', 1)}`;
  assert.deepEqual(linkStates(readMetrics(text)), [
    { role: 'connector', name: 'plc', state: 'up' },
    { role: 'provider', name: 'out', state: 'failed' },
  ]);
});

test('damage to the archive is counted by file, with the command that says more', () => {
  const cell = (...files: string[]) => archiveCell(files);
  assert.equal(cell(), 'no damage is known');
  const text = (...files: string[]) => (cell(...files) as { text: string }).text;
  assert.equal(text('a.ttb'), '1 file is damaged or missing: telltale archive stats');
  assert.equal(text('a.ttb', 'b.ttb'), '2 files are damaged or missing: telltale archive stats');
});
