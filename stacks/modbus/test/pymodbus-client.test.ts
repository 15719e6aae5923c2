// The provider asked by pymodbus.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { askByPymodbus } from './pymodbus-client.ts';
import { missingPymodbus } from './pymodbus-device.ts';
import { TestServer } from './test-server.ts';

describe('a client of pymodbus', { skip: missingPymodbus() ?? false }, () => {
  let server: TestServer;
  before(async () => {
    const given = { revision: '1.2.3', modelName: 'pumps' };
    server = await TestServer.start({ level: ['hr0', 'i'] }, { speed: ['hr1', 'i'] }, given);
    server.publish('level', 5);
  });
  after(() => server.stop());

  test('identifies the device, as a stream and by object', async () => {
    const basic = '0 Telltale; 1 telltale; 2 1.2.3';
    assert.deepEqual(
      await askByPymodbus(server.port, ['identify 1 0', 'identify 2 0', 'identify 4 5', 'identify 4 3', 'id']),
      [
        basic,
        `${basic}; 4 Telltale; 5 pumps`,
        '5 pumps',
        'Exception Response(171, 43, IllegalAddress)',
        `01ff${Buffer.from('Telltale 1.2.3').toString('hex')}`,
      ],
    );
  });

  test('gets its diagnostics', async () => {
    assert.deepEqual(await askByPymodbus(server.port, ['diagnose 0 42', 'diagnose 12 0']), ['(42,)', '(0,)']);
  });

  test('writes and reads in one request', async () => {
    const requests = ['write-read 1 7 0 2', 'write-read 1 8 9 1', 'read 1 1'];
    const refused = 'Exception Response(151, 23, IllegalAddress)';
    assert.deepEqual(await askByPymodbus(server.port, requests), ['5,7', refused, '7']);
    assert.deepEqual(server.written, [['speed', 7]]);
  });
});
