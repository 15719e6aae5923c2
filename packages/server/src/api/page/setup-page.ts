// The page that makes the first administrator. Whoever opens it by the one-time link has the code behind the #.
import { colours } from './docs-style.ts';
import { html, trusted } from './html.ts';
import { setupScript } from './setup-policy.ts';

const style = `${colours}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
main { max-width: 26rem; margin: 12vh auto 2rem; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.5rem; }
p { margin: 0 0 1rem; color: var(--quiet); }
label { display: block; margin: 1rem 0 0.25rem; font-weight: 600; }
input { width: 100%; padding: 0.55rem 0.7rem; font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
small { display: block; margin-top: 0.25rem; color: var(--quiet); }
button { margin-top: 1.5rem; width: 100%; padding: 0.65rem; font: inherit; font-weight: 600; color: var(--page); background: var(--accent); border: 0; border-radius: 6px; cursor: pointer; }
button:disabled { opacity: 0.6; cursor: default; }
[role=alert] { margin-top: 1rem; padding: 0.6rem 0.8rem; border-radius: 6px; color: var(--red); background: var(--red-back); }
[role=status] { margin-top: 1rem; padding: 0.6rem 0.8rem; border-radius: 6px; color: var(--green); background: var(--green-back); }
[hidden] { display: none; }
`;

export function setupPage(): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>First administrator · Telltale</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
<h1>First administrator</h1>
<p>From now on, everybody who uses this service signs in. The first administrator makes the other users.</p>
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
<div role="status" hidden>Done. Sign in with: telltale login</div>
</main>
<script>${trusted(setupScript)}</script>
</body>
</html>
`.text;
}
