// The shared suite over Modbus/TCP Security: a device of pymodbus, and clients with certificates.
import { once } from 'node:events';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type ConnectorWorld, conformance, type ProviderWorld } from '@telltale/stack-kit/testing';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { clientOver, providerWorld, startDevice, tcpWorld } from './conformance-worlds.ts';
import { RawClient } from './raw-client.ts';
import { makeCertificates, pairOf, withoutOpenssl } from './test-certificates.ts';

const folder = temporaryFolder(suiteCleanup());
if (withoutOpenssl === false) makeCertificates(folder);
const path = (name: string) => join(folder, name);
const prepareFolder = (own: string) => {
  for (const name of readdirSync(folder)) copyFileSync(path(name), join(own, name));
};
const secured = (name: string) => ({ tls: 'true', caFile: 'ca.pem', certFile: `${name}.pem`, keyFile: `${name}.key` });

const connector: ConnectorWorld = {
  ...tcpWorld,
  skip: withoutOpenssl || tcpWorld.skip,
  recognisesGarbling: true,
  startDevice: () => startDevice('tls', { CA: path('ca.pem'), CERT: path('server.pem'), KEY: path('server.key') }),
  prepareFolder,
  // With a longer period there is time in which nothing is under way.
  variables: (endpoint) => ({ ...tcpWorld.variables(endpoint), ...secured('operator'), scanPeriodMs: '100' }),
};

const provider: ProviderWorld = {
  ...providerWorld,
  skip: withoutOpenssl || undefined,
  // Whoever has a certificate may come from anywhere.
  badVariables: [{ port: '0' }, { allowedClients: 'nobody' }, { certFile: '', keyFile: '' }, { keyFile: '' }],
  greedy: new URL('./greedy-tls-main.ts', import.meta.url),
  prepareFolder,
  variables: (endpoint) => ({ ...providerWorld.variables(endpoint), ...secured('server') }),
  connectClient: async ({ host, port }) => {
    const own = { ca: pairOf(folder, 'ca').cert, ...pairOf(folder, 'operator') };
    const socket = connect({ host, port, servername: 'localhost', ...own });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    return clientOver(RawClient.over(socket));
  },
};

conformance('modbus/tcp security', { connector, provider });
