// The agent of net-snmp as the device of the conformance suite, in both versions.
import { type ConnectorWorld, missingPeers } from '@telltale/stack-kit/testing';
import stack from '../src/stack.ts';
import { peerBase, SnmpdPeer } from './snmpd-peer.ts';

const at = (index: string) => `${peerBase}.${index}`;
const oidOf = (address: string) => address.split(':')[0] ?? '';

export const connector: ConnectorWorld = {
  stack,
  skip: missingPeers('snmpd', '/usr/bin/python3'),
  transport: 'udp',
  recognisesGarbling: false,
  startDevice: async () => {
    const peer = await SnmpdPeer.start({
      objects: [
        { oid: at('1.0'), type: 'integer', value: '0' },
        { oid: at('2.0'), type: 'string', value: '0' },
        { oid: at('3.0'), type: 'counter64', value: '0' },
        { oid: at('4.0'), type: 'string', value: '' },
        ...[1, 2, 3, 4, 5].map((row) => ({ oid: at(`5.${row}`), type: 'gauge', value: '0' })),
        { oid: at('10.0'), type: 'integer', value: '0', writable: true },
        { oid: at('11.0'), type: 'string', value: '', writable: true },
        { oid: at('12.0'), type: 'integer', value: '1' },
      ],
      users: [{ name: 'operator', auth: 'SHA-256', authKey: 'first key', priv: 'AES', privKey: 'second key' }],
    });
    return {
      port: peer.port,
      set: (address, value) => peer.set(oidOf(address), String(value)),
      get: (address) => {
        const text = peer.get(oidOf(address));
        return text === undefined || address.includes('11.0') ? text : Number(text);
      },
      stop: () => peer.stop(),
    };
  },
  variables: ({ host, port }) => ({
    hosts: host,
    port: `${port}`,
    community: 'writing',
    scanPeriodMs: '40',
    timeoutMs: '300',
  }),
  badVariables: [{ hosts: '' }, { hosts: 'a b' }, { port: '0' }, { community: '' }, { version: '3' }],
  measurements: [
    { address: at('1.0'), datatype: 'i', values: [11, 12, 13] },
    { address: at('2.0'), datatype: 'd', values: [1.5, 2.5, 3.5] },
    { address: at('3.0'), datatype: 'l', values: [9007199254740993n, 9007199254740995n, 9223372036854775807n] },
    { address: at('4.0'), datatype: 's', values: ['one', 'two', 'three'] },
    ...[1, 2, 3, 4, 5].map((row): ConnectorWorld['measurements'][number] => {
      return {
        address: at(`5.${row}`),
        datatype: 'l',
        values: [BigInt(100 + row), BigInt(200 + row), BigInt(300 + row)],
      };
    }),
  ],
  commands: [
    { address: at('10.0'), datatype: 'i', values: [1001, 1002, 1003, 1004] },
    { address: at('11.0'), datatype: 's', values: ['first', 'second', 'third'] },
  ],
  refused: { address: at('12.0'), datatype: 'i', value: 7 },
  unknown: { address: at('99.0'), datatype: 'i' },
};

export const secured: ConnectorWorld = {
  ...connector,
  recognisesGarbling: true,
  variables: ({ host, port }) => ({
    hosts: `${host}:${port}`,
    version: '3',
    user: 'operator',
    authKey: 'first key',
    privKey: 'second key',
    scanPeriodMs: '40',
    timeoutMs: '300',
  }),
  badVariables: [{ user: '' }, { authKey: 'short' }, { privKey: '' }],
};
