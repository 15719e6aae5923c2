// The page that makes the first administrator. Whoever opens it by the one-time link has the code behind the #.
import { formPage } from './form-page.ts';
import { html } from './html.ts';
import { setupScript } from './setup-policy.ts';

export function setupPage(): string {
  const main = html`<p data-de="Ab jetzt meldet sich an, wer diesen Dienst nutzt. Der erste Administrator legt die anderen Benutzer an.">From now on, everybody who uses this service signs in. The first administrator makes the other users.</p>
<form>
<label for="user" data-de="Benutzername">Name</label>
<input id="user" name="user" autocomplete="username" required maxlength="64" autofocus>
<label for="password" data-de="Passwort">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="256">
<small data-de="Mindestens 12 Zeichen, die niemand errät: ein paar Wörter genügen.">At least 12 characters that nobody would guess: a few words do.</small>
<label for="again" data-de="Passwort, noch einmal">Password, again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required maxlength="256">
<button data-de="Anlegen">Create</button>
</form>
<div role="alert" hidden></div>
<div role="status" hidden><span data-de="Erledigt.">Done.</span> <a href="sign-in" data-de="Anmelden">Sign in</a><span data-de=", oder im Terminal: telltale login">, or use: telltale login</span></div>`;
  return formPage('First administrator', 'Erster Administrator', main, setupScript);
}
