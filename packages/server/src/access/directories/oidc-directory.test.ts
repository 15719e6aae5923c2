// Promises of signing in through OpenID Connect, against oidc-provider.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '@telltale/schema';
import fc from 'fast-check';
import { client, OpenidProvider, type ProviderOptions, signInAtProvider } from '../../../test/openid-provider.ts';
import { DirectoryRefusal, DirectoryUnavailable } from './directory.ts';
import { OidcDirectory, type OidcOptions } from './oidc-directory.ts';
import { attemptSeconds, ownPath } from './sealed-attempts.ts';

const redirectUri = 'http://127.0.0.1:1/access/oidc/callback';
const accounts = {
  anna: {
    preferred_username: 'anna',
    groups: ['operators', 'engineers'],
    email: 'anna@plant.example',
    email_verified: true,
  },
  ben: { preferred_username: 'ben', groups: 'operators', email: 'anna@plant.example', email_verified: false },
  nameless: { groups: ['operators'] },
  alone: { preferred_username: 'alone' },
  odd: { preferred_username: 'odd', groups: [1, null, { admin: true }, ['x'], 'x'.repeat(2000), 'operators'] },
};

interface Rig {
  readonly provider: OpenidProvider;
  readonly directory: OidcDirectory;
}

async function rig(
  t: TestContext,
  options: Partial<OidcOptions> = {},
  { clock = systemClock, ...provided }: Partial<ProviderOptions> & { clock?: Clock } = {},
): Promise<Rig> {
  const provider = await OpenidProvider.start(t, { redirectUri, accounts, ...provided });
  const directory = new OidcDirectory(
    {
      issuer: provider.issuer,
      clientId: client.id,
      clientSecret: client.secret,
      ca: undefined,
      redirectUri,
      scope: 'openid profile groups email',
      nameClaim: 'preferred_username',
      groupsClaim: 'groups',
      timeoutMs: 30_000,
      ...options,
    },
    clock,
  );
  return { provider, directory };
}

async function signIn({ directory }: Rig, name: string, returnTo?: string) {
  const { url, attempt } = await directory.start(returnTo);
  const back = await signInAtProvider(url, name, redirectUri);
  return directory.finish(back.searchParams, attempt);
}

describe('with a provider', () => {
  test('somebody signs in, and has their name, their groups, and what names them for ever', async (t) => {
    const { user, returnTo } = await signIn(await rig(t), 'anna', '/trends?of=level');
    assert.deepEqual(user, { directory: 'oidc', name: 'anna', subject: 'anna', groups: ['operators', 'engineers'] });
    assert.equal(returnTo, '/trends?of=level');
  });

  test('the request has a code, PKCE by SHA-256, a state and a nonce, each another time another one', async (t) => {
    const { directory } = await rig(t);
    const starts = await Promise.all([directory.start('/'), directory.start('/')]);
    const [first, second] = starts.map(({ url }) => new URL(url).searchParams);
    assert.equal(first?.get('response_type'), 'code');
    assert.equal(first?.get('code_challenge_method'), 'S256');
    assert.equal(first?.get('redirect_uri'), redirectUri);
    for (const field of ['code_challenge', 'state', 'nonce']) {
      assert.ok((first?.get(field)?.length ?? 0) >= 43, field);
      assert.notEqual(first?.get(field), second?.get(field), field);
    }
    assert.doesNotMatch(starts[0]?.url ?? '', /secret/);
  });

  test('claims that the ID token lacks come from the provider’s page about the person', async (t) => {
    const configuration = { conformIdTokenClaims: true };
    const { user } = await signIn(await rig(t, {}, { configuration }), 'anna');
    assert.deepEqual(user.groups, ['operators', 'engineers']);
  });

  test('one group may be a text; none is no group; what is no text, or too long, is none', async (t) => {
    const here = await rig(t);
    assert.deepEqual((await signIn(here, 'ben')).user.groups, ['operators']);
    assert.deepEqual((await signIn(here, 'alone')).user.groups, []);
    assert.deepEqual((await signIn(here, 'odd')).user.groups, ['operators']);
  });

  test('who has no name there is refused, and so is an address that nobody has verified', async (t) => {
    await assert.rejects(signIn(await rig(t), 'nameless'), DirectoryRefusal);
    const byAddress = await rig(t, { nameClaim: 'email' });
    assert.equal((await signIn(byAddress, 'anna')).user.name, 'anna@plant.example');
    await assert.rejects(signIn(byAddress, 'ben'), /has not verified/);
  });

  test('a code is taken once', async (t) => {
    const { directory } = await rig(t);
    const { url, attempt } = await directory.start('/');
    const back = await signInAtProvider(url, 'anna', redirectUri);
    await directory.finish(back.searchParams, attempt);
    await assert.rejects(directory.finish(back.searchParams, attempt), DirectoryRefusal);
  });

  test('another browser cannot finish what one has begun, and one cannot be made to finish another’s', async (t) => {
    const { directory, provider } = await rig(t);
    const mine = await directory.start('/');
    const theirs = await directory.start('/');
    const back = await signInAtProvider(mine.url, 'anna', redirectUri);
    for (const attempt of [theirs.attempt, undefined, '', 'x', mine.attempt.slice(0, -2), `${mine.attempt}AA`]) {
      await assert.rejects(directory.finish(back.searchParams, attempt), DirectoryRefusal);
    }
    assert.ok(!provider.asked.includes('POST /token'));
    assert.equal((await directory.finish(back.searchParams, mine.attempt)).user.name, 'anna');
  });

  test('a state, issuer or code that is not the one, and an error of the provider, let nobody in', async (t) => {
    const { directory, provider } = await rig(t);
    const { url, attempt } = await directory.start('/');
    const back = (await signInAtProvider(url, 'anna', redirectUri)).searchParams;
    const changed = (change: Record<string, string | undefined>) => {
      const query = new URLSearchParams(back);
      for (const [name, value] of Object.entries(change)) {
        if (value === undefined) query.delete(name);
        else query.set(name, value);
      }
      return query;
    };
    for (const query of [
      changed({ state: 'another' }),
      changed({ state: undefined }),
      changed({ iss: 'https://evil.example' }),
      changed({ code: undefined }),
      changed({ error: 'access_denied', code: undefined }),
      new URLSearchParams(),
    ]) {
      await assert.rejects(directory.finish(query, attempt), DirectoryRefusal, query.toString());
    }
    assert.ok(!provider.asked.includes('POST /token'));
    await assert.rejects(directory.finish(changed({ code: 'another' }), attempt), DirectoryRefusal);
  });

  test('what was begun too long ago is not finished', async (t) => {
    let nowMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
    const { directory } = await rig(t, {}, { clock });
    const { url, attempt } = await directory.start('/');
    const back = await signInAtProvider(url, 'anna', redirectUri);
    nowMs = attemptSeconds * 1000;
    await assert.rejects(directory.finish(back.searchParams, attempt), /too long ago/);
  });

  test('a wrong secret of ours lets nobody in', async (t) => {
    await assert.rejects(signIn(await rig(t, { clientSecret: 'another' }), 'anna'), DirectoryRefusal);
  });

  test('an ID token that another key has signed lets nobody in', async (t) => {
    let keys = '';
    const other = await OpenidProvider.start(t, { redirectUri, accounts });
    keys = await (await fetch(`${other.issuer}/jwks`)).text();
    const here = await rig(
      t,
      {},
      {
        instead: ({ url }, response) => {
          if (url !== '/jwks') return false;
          response.setHeader('content-type', 'application/json').end(keys);
          return true;
        },
      },
    );
    await assert.rejects(signIn(here, 'anna'), DirectoryRefusal);
  });
});

describe('a provider that cannot be asked', () => {
  test('is told, asked once for all who want it at once, and used when it is back', async (t) => {
    let nowMs = 0;
    const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
    const here = await rig(t, {}, { clock });
    await here.provider.halt();
    await assert.rejects(here.directory.start('/'), (error: Error) => {
      assert.ok(error instanceof DirectoryUnavailable);
      assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ cannot be asked: .*ECONNREFUSED/);
      return true;
    });
    await here.provider.again();
    await assert.rejects(here.directory.start('/'), DirectoryUnavailable);
    assert.deepEqual(here.provider.asked, []);
    nowMs += 2000;
    await Promise.all([here.directory.start('/'), here.directory.start('/'), here.directory.start('/')]);
    assert.deepEqual(here.provider.asked, ['GET /.well-known/openid-configuration']);
    assert.equal((await signIn(here, 'anna')).user.name, 'anna');
  });

  test('and breaks down while somebody signs in, or is replaced by the page of a proxy, is no refusal', async (t) => {
    let isBroken = false;
    const here = await rig(
      t,
      {},
      {
        instead: ({ url }, response) => {
          if (!isBroken || url !== '/token') return false;
          response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
          return true;
        },
      },
    );
    const { url, attempt } = await here.directory.start('/');
    const back = await signInAtProvider(url, 'anna', redirectUri);
    isBroken = true;
    await assert.rejects(here.directory.finish(back.searchParams, attempt), DirectoryUnavailable);
    isBroken = false;
    assert.equal((await here.directory.finish(back.searchParams, attempt)).user.name, 'anna');
    await here.provider.halt();
    await assert.rejects(here.directory.finish(back.searchParams, attempt), DirectoryUnavailable);
  });

  test('and does not answer is given up after the time limit', async (t) => {
    const { directory } = await rig(t, { timeoutMs: 1000 }, { instead: () => true });
    await assert.rejects(directory.start('/'), DirectoryUnavailable);
  });

  test('and answers without end is left', async (t) => {
    const { directory } = await rig(
      t,
      {},
      {
        instead: (_, response) => {
          const chunk = ' '.repeat(1 << 16);
          response.setHeader('content-type', 'application/json');
          const more = () => {
            while (!response.destroyed && response.write(chunk));
          };
          response.on('drain', more);
          more();
          return true;
        },
      },
    );
    await assert.rejects(directory.start('/'), /longer than 1048576 bytes/);
  });
});

describe('the path to return to', () => {
  test('is one of the service, or its first page', () => {
    for (const path of ['/', '/docs/', '/trends?of=a&b=c#d', '/a//b']) assert.equal(ownPath(path), path);
    for (const path of [
      undefined,
      '',
      '//evil.example',
      '/\\evil.example',
      '/a\\b',
      'https://evil.example',
      'javascript:x',
      '/\nx',
      '/ x',
      '/é',
      `/${'x'.repeat(600)}`,
    ]) {
      assert.equal(ownPath(path), '/', String(path));
    }
  });

  test('never leads to another host, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((text) => `/${text}`),
          fc.webAuthority().map((host) => `//${host}`),
        ),
        (path) => {
          assert.equal(new URL(ownPath(path), 'https://plant.example').host, 'plant.example');
        },
      ),
      { numRuns: 1000 },
    );
  });
});
