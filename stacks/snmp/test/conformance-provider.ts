// The provider as the conformance suite sees it, through a client of the npm package net-snmp.
import type { Value } from '@telltale/schema';
import type { ProviderWorld, Seen, TestClient } from '@telltale/stack-kit/testing';
import snmp from 'net-snmp';
import { tag } from '../src/ber.ts';
import { encodeCommunityMessage, encodeScoped, encodeSecured } from '../src/message.ts';
import { encodePdu, encodeVarbinds, pduType } from '../src/pdu.ts';
import stack from '../src/stack.ts';
import { base } from './running-provider.ts';

const oidOf = (address: string) => address.split(':')[0] ?? '';

/** The value, quality and time of an address, as the client sees them. */
function see(address: string, [value, quality, time]: readonly { type: number; value: unknown }[]): Seen {
  const isThere = value !== undefined && value.type !== snmp.ObjectType.NoSuchInstance;
  const text = String(value?.value);
  return {
    value: !isThere ? undefined : address.endsWith(':text') ? text : parsed(address, value.value),
    isGood: Number(quality?.value) === 192,
    timeUs: time?.value === null || time === undefined ? undefined : timeOf(String(time.value)),
  };
}

function parsed(address: string, value: unknown): Value {
  if (address.startsWith('3.')) return BigInt(`0x${(value as Buffer).toString('hex')}`);
  if (address.startsWith('2.') || address.startsWith('21.')) return Number(String(value));
  return value as number;
}

function timeOf(text: string): number {
  return Date.parse(text) * 1000 + Number(text.slice(-4, -1));
}

/** As most clients have it: a datagram may get lost on its way. */
const patience = { timeout: 500, retries: 5 };

/** An independent client: the package has nothing of ours. */
function clientOf(session: snmp.Session): TestClient {
  session.on('error', () => {});
  return {
    read: (address) =>
      new Promise((resolve, reject) => {
        const index = oidOf(address);
        session.get(
          [1, 2, 3].map((column) => `${base}.${column}.${index}`),
          (error, varbinds) => {
            if (error) reject(error);
            else resolve(see(address, (varbinds ?? []) as { type: number; value: unknown }[]));
          },
        );
      }),
    write: (address, value) =>
      new Promise((resolve, reject) => {
        const type =
          typeof value === 'number' && Number.isInteger(value) ? snmp.ObjectType.Integer : snmp.ObjectType.OctetString;
        const varbind = {
          oid: `${base}.1.${oidOf(address)}`,
          type,
          value: type === snmp.ObjectType.Integer ? value : String(value),
        };
        session.set([varbind as never], (error) => (error ? reject(error) : resolve()));
      }),
    close: () => {
      session.close();
    },
  };
}

export const provider: ProviderWorld = {
  stack,
  transport: 'udp',
  variables: ({ host, port }) => ({ host, port: `${port}`, community: 'reading', writeCommunity: 'writing' }),
  badVariables: [{ host: '0.0.0.0' }, { community: '', writeCommunity: '' }, { baseOid: 'x' }],
  greedy: encodeCommunityMessage(
    '2c',
    Buffer.from('reading'),
    encodePdu(
      { type: pduType.getBulk, requestId: 1, errorStatus: 0, errorIndex: 50 },
      encodeVarbinds([{ oid: base, tag: tag.null, content: Buffer.alloc(0) }]),
    ),
  ),
  writesFail: { refused: /InconsistentValue/i, notSent: /ResourceUnavailable/i, unknown: /UndoFailed/i },
  connectClient: async ({ host, port }) =>
    clientOf(snmp.createSession(host, 'writing', { port, version: snmp.Version2c, ...patience })),
  measurements: [
    { address: '1.0', datatype: 'i', values: [11, 12, 13] },
    { address: '2.0', datatype: 'd', values: [1.5, 2.5, 3.5] },
    { address: '3.0', datatype: 'l', values: [9007199254740993n, 9007199254740995n] },
    { address: '4.0:text', datatype: 's', values: ['one', 'two', 'three'] },
  ],
  commands: [
    { address: '20.0', datatype: 'i', values: [1001, 1002, 1003] },
    { address: '21.0', datatype: 'd', values: [10.5, 20.5, 30.5] },
  ],
};

const keys = { user: 'operator', authKey: 'first key', privKey: 'second key' };

/** With the keys of AES-256 as Cisco makes them, which few others check. */
export const securedProvider: ProviderWorld = {
  ...provider,
  variables: ({ host, port }) => ({ host, port: `${port}`, ...keys, authProtocol: 'sha', privProtocol: 'aes256c' }),
  // As every client of version 3 begins: the engine is asked for.
  greedy: encodeSecured({
    msgId: 1,
    isAuthenticated: false,
    isEncrypted: false,
    isReportable: true,
    engineId: Buffer.alloc(0),
    engineBoots: 0,
    engineTime: 0,
    user: '',
    authParameters: Buffer.alloc(0),
    privParameters: Buffer.alloc(0),
    scoped: encodeScoped(
      Buffer.alloc(0),
      '',
      encodePdu({ type: pduType.get, requestId: 1, errorStatus: 0, errorIndex: 0 }, Buffer.alloc(0)),
    ),
  }).bytes,
  badVariables: [{ authKey: 'short' }, { user: '' }, { host: '0.0.0.0', securityLevel: 'noAuthNoPriv' }],
  connectClient: async ({ host, port }) => {
    const user = {
      name: keys.user,
      level: snmp.SecurityLevel.authPriv,
      authProtocol: snmp.AuthProtocols.sha,
      authKey: keys.authKey,
      privProtocol: snmp.PrivProtocols.aes256r,
      privKey: keys.privKey,
    };
    return clientOf(snmp.createV3Session(host, user, { port, ...patience }));
  },
};
