// More traps than the thread can take at once, from a process of its own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { connectorOptions, freePort, until } from '@telltale/stack-kit/testing';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { oidContent, tag } from '../src/ber.ts';
import { encodeCommunityMessage } from '../src/message.ts';
import { encodePdu, encodeVarbinds, pduType } from '../src/pdu.ts';
import { snmpTrapOid, sysUpTime } from '../src/version-1.ts';
import { RunningConnector } from './running-connector.ts';

const sent = 20_000;
const linkDown = '1.3.6.1.6.3.1.1.5.3';
const trap = encodeCommunityMessage(
  '2c',
  Buffer.from('secret'),
  encodePdu(
    { type: pduType.trap, requestId: 1, errorStatus: 0, errorIndex: 0 },
    encodeVarbinds([
      { oid: sysUpTime, tag: tag.timeTicks, content: Buffer.from([1]) },
      { oid: snmpTrapOid, tag: tag.oid, content: oidContent(linkDown) },
    ]),
  ),
);
const program = `
const { createSocket } = require('node:dgram');
const [port, hex] = process.argv.slice(1);
const socket = createSocket('udp4');
const trap = Buffer.from(hex, 'hex');
let left = ${sent};
const send = (error) => {
  if (error) throw error;
  if (left-- > 0) socket.send(trap, Number(port), '127.0.0.1', send);
  else socket.close();
};
send();
`;

test('of 20,000 traps at once each is counted: by its point, or as lost', async (t) => {
  const port = await freePort();
  let unread = 0;
  const meter = { ...connectorOptions({ variables: {} }).meter, unread: (count: number) => (unread += count) };
  const variables = { hosts: '127.0.0.1:9', trapPort: `${port}`, community: 'secret' };
  const running = new RunningConnector(variables, { folder: temporaryFolder(t), meter });
  cleanupOf(t).defer(() => running.stop());
  running.setPoints([{ name: 'count', address: 'trap:linkDown', datatype: 'i' }]);
  await running.start();
  const sender = spawn(process.execPath, ['-e', program, `${port}`, trap.toString('hex')], { stdio: 'inherit' });
  t.after(() => sender.kill('SIGKILL'));
  const [code] = await once(sender, 'exit');
  assert.equal(code, 0);
  const counted = () => Number(running.readings.get('count')?.value ?? 0);
  // Elsewhere the system does not tell what it drops.
  const isWhole = () =>
    process.platform === 'linux' ? counted() + unread === sent : counted() > 0 && counted() + unread <= sent;
  await until('each is counted', isWhole, { deadlineMs: 60_000 });
  t.diagnostic(`${counted()} taken, ${unread} lost`);
});
