// The page that makes the first administrator. Whoever opens it by the one-time link has the code behind the #.
import { formPage } from './form-page.ts';
import { html } from './html.ts';
import { setupScript } from './setup-policy.ts';

export function setupPage(): string {
  const main = html`<p>From now on, everybody who uses this service signs in. The first administrator makes the other users.</p>
<form>
<label for="user">Name</label>
<input id="user" name="user" autocomplete="username" required maxlength="64" autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="256">
<small>At least 12 characters that nobody would guess: a few words do.</small>
<label for="again">Password, again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required maxlength="256">
<button>Create</button>
</form>
<div role="alert" hidden></div>
<div role="status" hidden>Done. <a href="sign-in">Sign in</a>, or use: telltale login</div>`;
  return formPage('First administrator', main, setupScript);
}
