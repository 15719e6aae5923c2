// The page that a provider of OpenID Connect leads back to. Its script sends what is in the address to the service, as a page of
// the service: the answer to the provider's own redirection could not use a strict cookie, and a GET would change something.
import { createHash } from 'node:crypto';

const script = `
const query = new URLSearchParams(location.search);
const names = ['code', 'state', 'iss', 'error', 'error_description'];
const given = Object.fromEntries(names.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])));
history.replaceState(null, '', location.pathname);
const say = (text) => {
  document.querySelector('p').textContent = text;
  document.querySelector('a').hidden = false;
};
fetch('sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(given) })
  .then(async (answer) => {
    const body = await answer.json();
    if (answer.ok) location.replace(body.returnTo);
    else say(body.title + '. ' + body.detail);
  })
  .catch(() => say('The service does not answer.'));
`;

export const oidcPage = Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Signing in</title>
<p>Signing in…</p>
<a href="start" hidden>Sign in again</a>
<script>${script}</script>
</html>
`);

const scriptHash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

export const oidcPagePolicy = {
  'content-security-policy': `default-src 'none'; script-src ${scriptHash}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};
