import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { defineVariables } from '../variables.ts';
import { AllowedClients, checkListening, listenVariables } from './allowed-clients.ts';

const anyV4 = fc.ipV4();
const anyV6 = fc.ipV6();

/** All bits of an address, written down without help of the code under test. */
function bitsOf(address: string): string {
  if (!address.includes(':')) {
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('');
  }
  const hexadecimal = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = hexadecimal.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':'));
  const [first, last] = [words(head), tail === undefined ? [] : words(tail)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].map((word) => Number.parseInt(word, 16).toString(2).padStart(16, '0')).join('');
}

const loopback = (address: string) => (address.includes(':') ? /^0{127}1$/ : /^01111111/).test(bitsOf(address));
const mapped = (address: string) => address.includes(':') && /^0{80}1{16}/.test(bitsOf(address));

describe('allowed clients', () => {
  test('are those of the nets, bit by bit', () => {
    for (const [any, bits] of [
      [anyV4, 32],
      [anyV6, 128],
    ] as const) {
      fc.assert(
        fc.property(any, any, fc.nat(bits), (net, address, prefix) => {
          fc.pre(!mapped(net) && !mapped(address));
          const expected = bitsOf(address).startsWith(bitsOf(net).slice(0, prefix)) || loopback(address);
          assert.equal(AllowedClients.parse(`${net}/${prefix}`).allows(address), expected);
          assert.equal(AllowedClients.parse(`10.1.2.3, ${address}`).allows(address), true);
        }),
      );
    }
  });

  test('in a net near their own are distinguished', () => {
    fc.assert(
      fc.property(anyV4, fc.integer({ min: 1, max: 32 }), (address, prefix) => {
        fc.pre(!loopback(address));
        const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
        const other = (number ^ (1 << (32 - prefix))) >>> 0; // differs in the last bit that counts
        const text = [24, 16, 8, 0].map((shift) => (other >>> shift) & 255).join('.');
        assert.equal(AllowedClients.parse(`${text}/${prefix}`).allows(address), false);
        assert.equal(AllowedClients.parse(`${text}/${prefix - 1}`).allows(address), true);
      }),
    );
  });

  test('that come as IPv4 in IPv6 are IPv4', () => {
    fc.assert(
      fc.property(anyV4, anyV4, fc.nat(32), (net, address, prefix) => {
        const allowed = AllowedClients.parse(`${net}/${prefix}`);
        assert.equal(allowed.allows(`::ffff:${address}`), allowed.allows(address));
        const asIPv6 = AllowedClients.parse(`::ffff:${net}/${96 + prefix}`);
        assert.equal(asIPv6.allows(address), allowed.allows(address));
      }),
    );
    assert.equal(AllowedClients.parse('::/0').allows('10.0.0.1'), false);
    assert.equal(AllowedClients.parse('::/0').allows('::ffff:10.0.0.1'), false);
    assert.equal(AllowedClients.parse('fe80::/10').allows('fe80::1%eth0'), true);
  });

  test('of a link have a zone, which does not count; there may be 256 entries', () => {
    const text = Array.from({ length: 256 }, () => 'fe80::/10').join();
    assert.equal(AllowedClients.parse(text).allows('fe80::1%eth0'), true);
    assert.throws(() => AllowedClients.parse(`${text},fe80::/10`), /257 entries/);
  });

  test('always are the machine itself, and nobody else where nobody is named', () => {
    for (const allowed of [AllowedClients.parse(''), AllowedClients.parse(' '), AllowedClients.parse('10.0.0.0/8')]) {
      for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert.ok(allowed.allows(address));
      for (const address of ['8.8.8.8', '::2', '::', '0.0.0.0', '', 'localhost', undefined]) {
        assert.ok(!allowed.allows(address), String(address));
      }
    }
    assert.ok(AllowedClients.everyone.allows('8.8.8.8'));
  });

  for (const text of [
    ',',
    '10.0.0.1,',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fd00::/129',
    '::ffff:10.0.0.0/95',
    'example.org',
    'fe80::1%eth0',
    '10.0.0.1 10.0.0.2',
    '010.0.0.1',
    '1'.repeat(10_000),
    '1.1.1.1,'.repeat(300),
  ]) {
    test(`${JSON.stringify(text.slice(0, 30))} is refused`, () => {
      assert.throws(() => AllowedClients.parse(text), /an address or network is expected|at most 256/);
    });
  }

  test('any text is taken or refused in plain words', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcdef.:/, %') }), (text) => {
        try {
          AllowedClients.parse(text);
        } catch (error) {
          assert.match((error as Error).message, /an address or network is expected/);
        }
      }),
    );
  });
});

describe('a listener', () => {
  const fields = (host: string, allowedClients: string, isAuthenticated = false) =>
    checkListening({ host, allowedClients }, { isAuthenticated }).map(({ field }) => field);

  test('on loopback needs nothing', () => {
    for (const host of ['127.0.0.1', 'localhost', 'LocalHost', '::1', '127.1.2.3'])
      assert.deepEqual(fields(host, ''), []);
  });

  test('beyond loopback requires a list of who may come, or clients that prove who they are', () => {
    for (const host of ['0.0.0.0', '::', '192.168.5.2', 'plant.example', '127.example']) {
      assert.deepEqual(fields(host, ''), ['allowedClients']);
      assert.deepEqual(fields(host, ' '), ['allowedClients']);
      assert.deepEqual(fields(host, '192.168.5.0/24'), []);
      assert.deepEqual(fields(host, '', true), []);
    }
  });

  test('refuses a list that is wrong, wherever it listens', () => {
    assert.deepEqual(fields('127.0.0.1', 'everyone'), ['allowedClients']);
    assert.deepEqual(fields('0.0.0.0', 'everyone', true), ['allowedClients']);
  });

  test('has loopback and its port by default', () => {
    const { defaults } = defineVariables(Type.Object(listenVariables(502)));
    assert.deepEqual(defaults, { host: '127.0.0.1', port: '502', allowedClients: '' });
  });
});
