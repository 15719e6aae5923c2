// A page with one form in the middle, which looks like the page of the service: `tokens.css` there has the same colours.
import { type Html, html, trusted } from './html.ts';

const light = `color-scheme: light; --page: #d9dcde; --panel: #e6e8ea; --raised: #f3f4f5; --field: #fbfbfc; --line: #b7bcc0;
--line-strong: #757d83; --text: #1b2125; --quiet: #474f55; --hover: #cdd2d5; --accent: #17476e; --on-accent: #ffffff;
--ok: #23603a; --error: #a3121c; --error-back: #f7dcdd;`;
const dark = `color-scheme: dark; --page: #15191c; --panel: #1c2226; --raised: #252c31; --field: #101416; --line: #3b444a;
--line-strong: #7f8a91; --text: #dde2e5; --quiet: #a6b0b6; --hover: #2b343a; --accent: #8fc0e8; --on-accent: #0c1a26;
--ok: #8bd1a2; --error: #ff9a9e; --error-back: #4b181b;`;
const contrast = `color-scheme: light; --page: #ffffff; --panel: #ffffff; --raised: #ffffff; --field: #ffffff; --line: #000000;
--line-strong: #000000; --text: #000000; --quiet: #000000; --hover: #d9e8ff; --accent: #00318f; --on-accent: #ffffff;
--error: #8d0009; --error-back: #ffffff;`;

const style = `
:root { ${light} }
@media (prefers-color-scheme: dark) { :root:not([data-theme]) { ${dark} } }
@media (prefers-contrast: more) { :root:not([data-theme]) { ${contrast} } }
:root[data-theme=dark] { ${dark} }
:root[data-theme=contrast] { ${contrast} }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 0.875rem/1.4 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif; }
main { max-width: 24rem; margin: 12vh auto 2rem; padding: 1.25rem; background: var(--panel); border: 1px solid var(--line); border-radius: 3px; }
h1 { font-size: 1.15rem; line-height: 1.25; margin: 0 0 0.75rem; font-weight: 600; }
h1 small { display: block; margin: 0 0 0.1rem; font-weight: 400; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); }
label { display: block; margin: 0.75rem 0 0.2rem; color: var(--quiet); }
small { display: block; margin-top: 0.2rem; color: var(--quiet); font-size: 0.78rem; }
input, button, a.button { width: 100%; min-height: 2.25rem; padding: 0.3rem 0.6rem; font: inherit; color: inherit; background: var(--field); border: 1px solid var(--line-strong); border-radius: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
button, a.button { display: flex; align-items: center; justify-content: center; margin-top: 0.6rem; text-decoration: none; background: var(--raised); cursor: pointer; }
button:hover, a.button:hover { background: var(--hover); }
form button { margin-top: 1.1rem; color: var(--on-accent); background: var(--accent); border-color: var(--accent); font-weight: 600; }
form button:hover { background: var(--accent); }
button:disabled { opacity: 0.6; cursor: default; }
[role=alert], [role=status] { margin-top: 0.75rem; padding: 0.5rem 0.75rem; border: 1px solid var(--ok, currentcolor); border-left-width: 6px; border-radius: 3px; }
[role=alert] { border-color: var(--error); background: var(--error-back); }
[hidden] { display: none !important; }
@media (pointer: coarse) { body { font-size: 1rem; } input, button, a.button { min-height: 2.75rem; } }
@media (max-width: 26rem) { main { margin: 0.75rem; } }
`;

/** Begins the scripts of these pages: theme and language are those chosen on the page of the service, else those of the browser. */
export const chosenScript = `
const chosen = (name) => { try { return localStorage.getItem('telltale.' + name); } catch { return null; } };
const isGerman = (chosen('language') ?? navigator.language).startsWith('de');
const either = (english, german) => (isGerman ? german : english);
const root = document.documentElement;
if (chosen('theme') !== null) root.dataset.theme = chosen('theme');
if (isGerman) {
  root.lang = 'de';
  for (const each of document.querySelectorAll('[data-de]')) each.textContent = each.dataset.de;
}
const wrong = document.querySelector('[role=alert]');
const say = (text, lang = '') => { wrong.textContent = text; wrong.lang = lang; wrong.hidden = text === ''; };
const silent = () => say(either('The service does not answer.', 'Der Dienst antwortet nicht.'));
`;

/** `script` is the only one that its policy lets a browser run. What an element says in German is its \`data-de\`. */
export function formPage(title: string, german: string, main: Html, script: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title data-de="${german} · Telltale">${title} · Telltale</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
<h1><small>Telltale</small><span data-de="${german}">${title}</span></h1>
${main}
</main>
<script>${trusted(script)}</script>
</body>
</html>
`.text;
}
