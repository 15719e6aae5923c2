// Promises of the guard: which hosts the service has, and that pages from elsewhere get nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type GuardedRequest, isLoopback, OriginGuard, type OriginGuardOptions } from './origin-guard.ts';

const plain: GuardedRequest = {
  host: 'localhost:8080',
  origin: undefined,
  fetchSite: undefined,
  fetchMode: undefined,
  cookie: undefined,
  isDocument: false,
  socket: { localAddress: '127.0.0.1' },
};

const guarded = (options: OriginGuardOptions) => (request: Partial<GuardedRequest>) =>
  new OriginGuard(options).refusalOf({ ...plain, ...request });

const ask = guarded({ host: '127.0.0.1' });

const ownHosts = ['localhost', 'LOCALHOST', 'LocalHost', '127.0.0.1', '127.1.2.3', '127.255.255.254', '[::1]'];
const foreignHosts = [
  'localhost.evil.com',
  '127.0.0.1.evil.com',
  'evil.com',
  'evil.com:localhost',
  'evil-localhost',
  'notlocalhost',
  'localhost.',
  'user@localhost',
  'localhost@evil.com',
  'localhost/evil.com',
  'localhost#.evil.com',
  'localhost evil.com',
  'localhost,evil.com',
  'localhost\n',
  '\tlocalhost',
  '128.0.0.1',
  '0.0.0.0',
  '192.168.0.1',
  '127.0.0',
  '127.0.0.1.1',
  '1127.0.0.1',
  '127x0x0x1',
  '[::2]',
  '[::]',
  '::1',
  '[::1',
  '[::1].evil.com',
  '[::ffff:8.8.8.8]',
  'localhost:',
  'localhost:port',
  'localhost:8080:80',
  'localhost:123456',
  '',
  ' ',
  ':8080',
];

describe('a Host', () => {
  test('of this machine is let in, with and without a port', () => {
    for (const host of ownHosts) {
      for (const port of ['', ':1', ':8080', ':65535'])
        assert.equal(ask({ host: host + port }), undefined, host + port);
    }
  });

  test('of any other machine is refused, and so is none', () => {
    for (const host of foreignHosts) assert.equal(ask({ host }), 'foreign-host', JSON.stringify(host));
    assert.equal(ask({ host: undefined }), 'foreign-host');
  });

  test('that is foreign is refused whatever else the request says of itself', () => {
    const header = fc.option(fc.oneof(fc.constantFrom('null', 'none', 'same-origin', ...ownHosts), fc.string()), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...foreignHosts, undefined),
        fc.record({ origin: header, fetchSite: header, fetchMode: header, isDocument: fc.boolean() }),
        (host, others) => {
          assert.equal(ask({ ...others, host }), 'foreign-host');
        },
      ),
    );
  });

  test('that is a name on the internet is never taken for this machine', () => {
    const domain = fc
      .tuple(fc.constantFrom('', ...ownHosts.map((host) => `${host}.`)), fc.domain())
      .map(([a, b]) => a + b);
    const port = fc.option(
      fc.nat(65535).map((number) => `:${number}`),
      { nil: '' },
    );
    fc.assert(
      fc.property(domain, port, (name, behind) => {
        assert.equal(ask({ host: name + behind }), 'foreign-host');
      }),
      { numRuns: 1000 },
    );
  });

  test('that is an address is let in exactly where it is in 127.0.0.0/8', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV4().map((ip) => ip.replace(/^\d+/, '127')),
        ),
        (ip) => {
          assert.equal(ask({ host: ip }), ip.startsWith('127.') ? undefined : 'foreign-host');
        },
      ),
    );
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        assert.equal(ask({ host: `[${ip}]` }), ip === '::1' ? undefined : 'foreign-host');
      }),
    );
  });
});

describe('a request', () => {
  test('without an Origin is let in: a program sent it', () => {
    assert.equal(ask({}), undefined);
  });

  test('from a page of the service itself is let in', () => {
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'LOCALHOST', '127.0.0.1']) {
      for (const origin of [`http://${host}`, `https://${host}`, `http://${host.toLowerCase()}`]) {
        assert.equal(ask({ host, origin }), undefined, origin);
        assert.equal(ask({ host, origin, fetchSite: 'same-origin' }), undefined, origin);
      }
    }
  });

  test('from any other page is refused', () => {
    const origins = [
      'http://evil.com',
      'https://localhost.evil.com:8080',
      'http://localhost:3000',
      'http://localhost',
      'http://127.0.0.1:8080',
      'http://localhost:8080.evil.com',
      'http://localhost:8080/',
      'http://evil@localhost:8080',
      'file://localhost:8080',
      'chrome-extension://localhost:8080',
      'localhost:8080',
      'null',
      '',
    ];
    for (const origin of origins) assert.equal(ask({ origin }), 'foreign-origin', origin);
  });

  test('is refused whatever its Origin, unless that is http or https of the Host to the letter', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.webAuthority(), fc.string()), (origin) => {
        assert.equal(ask({ origin }), 'foreign-origin');
      }),
    );
  });

  test('that the browser calls cross-site or same-site is refused, also without an Origin', () => {
    for (const fetchSite of ['cross-site', 'same-site', 'none, cross-site', 'something-new']) {
      for (const fetchMode of [undefined, 'no-cors', 'cors', 'websocket', 'navigate']) {
        assert.equal(ask({ fetchSite, fetchMode }), 'foreign-origin');
        assert.equal(ask({ fetchSite, fetchMode, origin: 'http://localhost:8080' }), 'foreign-origin');
      }
    }
    for (const fetchSite of ['same-origin', 'none']) assert.equal(ask({ fetchSite }), undefined);
  });
});

describe('a document for people', () => {
  const isDocument = true;

  test('is let in where somebody follows a link to it, from any page', () => {
    for (const fetchSite of ['cross-site', 'same-site', 'same-origin', 'none']) {
      assert.equal(ask({ isDocument, fetchSite, fetchMode: 'navigate' }), undefined);
    }
  });

  test('is refused to another page that loads it in any other way, or names itself as the Origin', () => {
    for (const fetchMode of [undefined, 'no-cors', 'cors', 'same-origin', 'websocket']) {
      assert.equal(ask({ isDocument, fetchSite: 'cross-site', fetchMode }), 'foreign-origin');
    }
    const origin = 'http://evil.com';
    assert.equal(ask({ isDocument, fetchSite: 'cross-site', fetchMode: 'navigate', origin }), 'foreign-origin');
  });
});

describe('beyond loopback', () => {
  const network = guarded({ host: '0.0.0.0', publicUrl: 'https://Plant.example:8443/' });
  const socket = { localAddress: '::ffff:192.168.1.5', encrypted: true };

  test('the Host is that of the public URL or the address that was asked, and no other name', () => {
    for (const host of ['plant.example:8443', 'PLANT.example', '192.168.1.5', '192.168.1.5:8080', 'localhost']) {
      assert.equal(network({ host, socket }), undefined, host);
    }
    for (const host of [
      '192.168.1.6',
      'x.plant.example',
      'plant.example.evil.com',
      'plant.example@evil.com',
      '0.0.0.1',
    ]) {
      assert.equal(network({ host, socket }), 'foreign-host', host);
    }
    const ofName = guarded({ host: 'Press.local' });
    assert.equal(ofName({ host: 'press.local:80', socket: { localAddress: '10.0.0.1' } }), undefined);
    assert.equal(ofName({ host: '[fd00::1]', socket: { localAddress: 'fd00::1' } }), undefined);
    assert.equal(ofName({ host: '[fd00::2]', socket: { localAddress: 'fd00::1' } }), 'foreign-host');
  });

  test('the Origin is the public URL, or the Host over TLS where TLS is spoken', () => {
    const host = '192.168.1.5:8080';
    for (const origin of ['https://plant.example:8443', `https://${host}`]) {
      assert.equal(network({ host, socket, origin }), undefined, origin);
    }
    for (const origin of ['https://plant.example', 'http://plant.example:8443', `http://${host}`, 'null']) {
      assert.equal(network({ host, socket, origin }), 'foreign-origin', origin);
    }
    assert.equal(network({ host, socket: { localAddress: '192.168.1.5' }, origin: `http://${host}` }), undefined);
  });
});

describe('a request with the cookie of a session', () => {
  const cookies = ['__Host-telltale=x', 'a=b; __Host-telltale=x', 'a=b;__Host-telltale-device=y'];

  test('must show that it comes from our own pages, also where it only reads, and whatever it is for', () => {
    for (const cookie of cookies) {
      for (const isDocument of [false, true]) {
        assert.equal(ask({ cookie, isDocument }), 'foreign-origin');
        assert.equal(ask({ cookie, isDocument, fetchMode: 'navigate', fetchSite: 'cross-site' }), 'foreign-origin');
        for (const fetchSite of ['same-site', 'cross-site', 'something-new', '']) {
          assert.equal(ask({ cookie, isDocument, fetchSite }), 'foreign-origin');
          assert.equal(ask({ cookie, isDocument, fetchSite, origin: 'http://localhost:8080' }), 'foreign-origin');
        }
        assert.equal(ask({ cookie, isDocument, origin: 'http://evil.com' }), 'foreign-origin');
        assert.equal(
          ask({ cookie, isDocument, origin: 'http://evil.com', fetchSite: 'same-origin' }),
          'foreign-origin',
        );
        for (const fetchSite of ['same-origin', 'none'])
          assert.equal(ask({ cookie, isDocument, fetchSite }), undefined);
        assert.equal(ask({ cookie, isDocument, origin: 'http://localhost:8080' }), undefined);
      }
    }
  });

  test('is known by the name of the cookie: cookies of other services on this host do not count', () => {
    for (const cookie of ['a=b', 'telltale=x', 'x=__Host-telltale', 'x__Host-telltale=1', '']) {
      assert.equal(ask({ cookie }), undefined, cookie);
    }
  });

  test('is let in by no headers that a foreign page can cause', () => {
    const foreign = fc.record({
      origin: fc.option(fc.webUrl(), { nil: undefined }),
      fetchSite: fc.constantFrom('cross-site', 'same-site', undefined),
      fetchMode: fc.constantFrom('navigate', 'cors', 'no-cors', 'websocket', undefined),
      isDocument: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.constantFrom(...cookies), foreign, (cookie, request) => {
        assert.equal(ask({ ...request, cookie }), 'foreign-origin');
      }),
    );
  });
});

test('an address to listen on is loopback or not, without a port and brackets', () => {
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', 'LOCALHOST'])
    assert.equal(isLoopback(host), true, host);
  for (const host of [
    '0.0.0.0',
    '::',
    '192.168.1.1',
    'example.com',
    '',
    'localhost.evil.com',
    '::ffff:1.2.3.4',
    'localhost:80',
  ]) {
    assert.equal(isLoopback(host), false, host);
  }
});
