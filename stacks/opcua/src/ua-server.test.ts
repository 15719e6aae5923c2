import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { systemClock } from '@telltale/schema';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { CertificateFolder } from './certificate-folder.ts';
import stack from './stack.ts';
import { makeServer, type UaServerOptions } from './ua-server.ts';

describe('the server', () => {
  test('lets those go at once who are not among the clients that may come', async (t) => {
    const folder = temporaryFolder(t);
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const certificates = new CertificateFolder({
      folder,
      applicationUri: 'urn:a',
      applicationName: 'a',
      clock: systemClock,
      log,
    });
    await certificates.initialize();
    for (const [allowedClients, expected] of [
      ['10.0.0.0/8', ['192.0.2.1', '']],
      ['', []],
    ] as const) {
      const read = stack.provider?.readVariables({ userName: 'joe', password: 'x', host: '0.0.0.0', allowedClients });
      const variables = read?.values as UaServerOptions['variables'];
      const server = makeServer({ variables, applicationUri: 'urn:a', certificates, clock: systemClock });
      cleanupOf(t).defer(() => server.dispose());
      const refused: string[] = [];
      for (const remoteAddress of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', '192.0.2.1', '']) {
        const abruptlyInterrupt = () => refused.push(remoteAddress);
        const channel = Object.assign(new EventEmitter(), {
          remoteAddress,
          abruptlyInterrupt,
          send_response: () => {},
        });
        server.emit('newChannel', channel as never, {} as never);
      }
      assert.deepEqual(refused, expected);
    }
  });
});
