// The page on which people sign in: by password, with a code where one is needed; by a passkey; or at the page of a provider.
import { formPage } from './form-page.ts';
import { html } from './html.ts';
import { signInScript } from './sign-in-policy.ts';

export function signInPage(): string {
  const main = html`<form>
<label for="user" data-de="Benutzername">Name</label>
<input id="user" name="user" autocomplete="username webauthn" required maxlength="128" autofocus>
<label for="password" data-de="Passwort">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="256">
<div id="second" hidden>
<label for="code" data-de="Code des zweiten Faktors">Code of your second factor</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="32">
<small data-de="Der Code, den Ihre Authenticator-App jetzt zeigt, oder ein Wiederherstellungscode.">The code that your authenticator app shows now, or one for recovery.</small>
</div>
<button data-de="Anmelden">Sign in</button>
</form>
<button id="passkey" data-de="Mit einem Passkey anmelden" hidden>Sign in with a passkey</button>
<a class="button" id="oidc" href="oidc/start" data-de="Bei Ihrer Organisation anmelden" hidden>Sign in with your organisation</a>
<div role="alert" hidden></div>`;
  return formPage('Sign in', 'Anmelden', main, signInScript);
}
