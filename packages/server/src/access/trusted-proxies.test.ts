// Promises about where a request comes from: headers count only where a listed proxy has sent them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TrustedProxies } from './trusted-proxies.ts';

describe('the source of a request', () => {
  test('is the address of the connection where no proxy is listed, or another one asks, whatever headers say', () => {
    const header = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant(undefined));
    fc.assert(
      fc.property(header, fc.ipV4(), (forwarded, peer) => {
        assert.equal(new TrustedProxies(undefined).sourceOf(peer, forwarded), peer);
        fc.pre(!peer.startsWith('10.'));
        assert.equal(new TrustedProxies('10.0.0.0/8, ::/0').sourceOf(peer, forwarded), peer);
      }),
    );
  });

  test('is what the last proxy of ours was asked from: what a client has written before counts nothing', () => {
    const proxies = new TrustedProxies('127.0.0.1, 10.0.0.0/24, fd00::/8');
    for (const [header, source] of [
      ['192.168.1.7', '192.168.1.7'],
      ['8.8.8.8, 192.168.1.7', '192.168.1.7'],
      ['127.0.0.1, 192.168.1.7', '192.168.1.7'],
      ['192.168.1.7, 10.0.0.9', '192.168.1.7'],
      ['evil, 192.168.1.7,10.0.0.9 ,fd00::1', '192.168.1.7'],
      ['::ffff:192.168.1.7', '192.168.1.7'],
      ['10.0.0.9', '10.0.0.9'],
      ['nonsense', '127.0.0.1'],
      ['nonsense, 10.0.0.9', '10.0.0.9'],
      ['192.168.1.7:80', '127.0.0.1'],
      ['', '127.0.0.1'],
      [undefined, '127.0.0.1'],
      [`${'1.1.1.1,'.repeat(10_000)}192.168.1.7`, '192.168.1.7'],
    ] as const) {
      for (const peer of ['127.0.0.1', '::ffff:127.0.0.1'])
        assert.equal(proxies.sourceOf(peer, header), source, String(header));
    }
  });

  test('is never an address that a client chose, with however much it writes itself', () => {
    const proxies = new TrustedProxies('127.0.0.1');
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6())), (written) => {
        assert.equal(proxies.sourceOf('127.0.0.1', [...written, '192.168.1.7'].join(', ')), '192.168.1.7');
      }),
    );
  });
});

test('a list that has no address or network is refused, and names it', () => {
  for (const text of ['', 'plant.example', '10.0.0.0/33', '10.0.0.1,', '10.0.0.0/8/8', '1.2.3.4/x', '10.0.0']) {
    assert.throws(() => new TrustedProxies(text), /is no address or network/, text);
  }
  assert.throws(() => new TrustedProxies(Array(300).fill('10.0.0.1').join()), /at most 256/);
});
