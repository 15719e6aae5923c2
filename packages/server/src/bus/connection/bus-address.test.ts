import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BadBusAddress, busAddressText, parseBusAddress } from './bus-address.ts';

test('an address names servers, the usual port where it has none, and who connects', () => {
  assert.deepEqual(parseBusAddress('nats://north.example'), {
    isSecure: false,
    servers: [{ host: 'north.example', port: 4222 }],
    user: undefined,
    password: undefined,
  });
  assert.deepEqual(parseBusAddress('tls://si%3Ate:p%40ss:w,rd@10.0.0.1:4223,[::1]:5,b'), {
    isSecure: true,
    servers: [
      { host: '10.0.0.1', port: 4223 },
      { host: '::1', port: 5 },
      { host: 'b', port: 4222 },
    ],
    user: 'si:te',
    password: 'p@ss:w,rd',
  });
});

test('what is no address is refused in words that have no password', () => {
  const wrong = [
    '',
    'http://a',
    'nats://',
    'nats://a,,b',
    'nats://a:0',
    'nats://a:70000',
    'nats://a b',
    'nats://u:se%cret@a',
  ];
  for (const text of wrong) {
    assert.throws(
      () => parseBusAddress(text),
      (error: Error) => error instanceof BadBusAddress && !error.message.includes('cret'),
      text,
    );
  }
});

test('it is shown without the password', () => {
  assert.equal(busAddressText(parseBusAddress('nats://me:secret@a:1,[::1]')), 'nats://me@a:1,[::1]:4222');
  fc.assert(
    fc.property(fc.string({ minLength: 8 }), (password) => {
      const address = parseBusAddress(`tls://me:${encodeURIComponent(password)}@host`);
      assert.equal(address.password, password);
      assert.equal(busAddressText(address), 'tls://me@host:4222');
    }),
  );
});
