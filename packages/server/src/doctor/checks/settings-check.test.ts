import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doctorBench, found } from '../../../test/doctor-bench.ts';
import { checkSettings } from './settings-check.ts';

test('settings that are unknown are looked at; an address for others and one path for two interfaces are wrong', async (t) => {
  const environment = { TELLTALE_PROT: '80', TELLTALE_URL: 'http://plant/', TELLTALE_PORT: '80', PATH: '/bin' };
  const well = await found(checkSettings, doctorBench(t));
  assert.deepEqual(well, ['ok: Data folder FOLDER, address 127.0.0.1, port 8080.']);
  const settings = ['--host=0.0.0.0', '--data-path=/v', '--config-path=/v'];
  const [, ...bad] = await found(checkSettings, doctorBench(t, { settings, machine: { environment } }));
  assert.deepEqual(bad, [
    'wrong: The server refuses to listen on 0.0.0.0 without TLS.',
    'note: TELLTALE_PROT is not a setting and has no effect.',
    'wrong: --data-path, --channel-path and --config-path are not all different: /v, /data/ws, /v.',
  ]);
});
