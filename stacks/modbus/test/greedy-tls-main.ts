// A process with clients of Modbus/TCP Security that never stop: `node greedy-tls-main.ts <port>`, in a folder with their
// certificates. Half of them take the answers, half never read. Says `ready` when all have begun.
import { once } from 'node:events';
import { connect } from 'node:tls';
import { askForEver, clientsOfEach } from '@telltale/stack-kit/testing';
import { pairOf } from './test-certificates.ts';

const port = Number(process.argv[2]);
const ca = pairOf('.', 'ca').cert;
const request = Buffer.from('000100000006010400000001', 'hex');

async function start(isDeaf: boolean): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca, ...pairOf('.', 'operator') });
  await once(socket, 'secureConnect');
  askForEver(socket, request, isDeaf);
}

await Promise.all(Array.from({ length: 2 * clientsOfEach }, (_, at) => start(at % 2 === 0)));
process.stdout.write('ready\n');
