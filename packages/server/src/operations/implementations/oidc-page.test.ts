// Promises of the page that a provider of OpenID Connect leads back to: its script, run with what a browser would give it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { oidcPage, oidcPagePolicy } from './oidc-page.ts';

const script = /<script>(.*)<\/script>/s.exec(oidcPage.toString())?.[1] ?? '';

interface Seen {
  readonly asked: { url: string; method: string; body: unknown }[];
  readonly shown: { text: string; isHidden: boolean };
  address: string;
  wentTo: string | undefined;
}

/** Opens the page at this address; the service answers so. */
async function open(
  search: string,
  answer: () => Promise<{ ok: boolean; json: () => Promise<object> }>,
): Promise<Seen> {
  const seen: Seen = { asked: [], shown: { text: '', isHidden: true }, address: search, wentTo: undefined };
  const paragraph = {
    set textContent(text: string) {
      seen.shown.text = text;
    },
  };
  const link = {
    set hidden(isHidden: boolean) {
      seen.shown.isHidden = isHidden;
    },
  };
  runInNewContext(script, {
    URLSearchParams,
    location: {
      search,
      pathname: '/access/oidc/callback',
      replace: (path: string) => {
        seen.wentTo = path;
      },
    },
    history: {
      replaceState: (_: unknown, __: unknown, path: string) => {
        seen.address = path;
      },
    },
    document: { querySelector: (name: string) => (name === 'p' ? paragraph : link) },
    fetch: (url: string, { method, body }: { method: string; body: string }) => {
      seen.asked.push({ url, method, body: JSON.parse(body) });
      return answer();
    },
  });
  await new Promise(setImmediate);
  return seen;
}

test('what the provider sent goes to the service, no more of it, and is gone from the address', async () => {
  const answer = async () => ({ ok: true, json: async () => ({ returnTo: '/trends' }) });
  const seen = await open('?code=a%20b&state=s&iss=i&session_state=x&__proto__=y', answer);
  assert.deepEqual(seen.asked, [{ url: 'sign-in', method: 'POST', body: { code: 'a b', state: 's', iss: 'i' } }]);
  assert.equal(seen.address, '/access/oidc/callback');
  assert.equal(seen.wentTo, '/trends');
});

test('why nobody is signed in is shown, with the way to try again', async () => {
  const problem = { title: 'The directory does not answer', detail: 'Later.' };
  const refused = await open('?error=access_denied', async () => ({ ok: false, json: async () => problem }));
  assert.deepEqual(refused.shown, { text: 'The directory does not answer. Later.', isHidden: false });
  assert.equal(refused.wentTo, undefined);
  const down = await open('?code=x', () => Promise.reject(new Error('down')));
  assert.deepEqual(down.shown, { text: 'The service does not answer.', isHidden: false });
});

test('the browser runs that script and no other', () => {
  const hash = createHash('sha256').update(script).digest('base64');
  assert.match(oidcPagePolicy['content-security-policy'], new RegExp(`script-src 'sha256-${RegExp.escape(hash)}';`));
});
