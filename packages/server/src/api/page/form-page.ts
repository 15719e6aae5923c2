// A page with one form in the middle, in the colours of the reference.
import { colours } from './docs-style.ts';
import { type Html, html, trusted } from './html.ts';

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
button, a.button { display: block; text-align: center; text-decoration: none; margin-top: 1.5rem; width: 100%; padding: 0.65rem; font: inherit; font-weight: 600; color: var(--page); background: var(--accent); border: 0; border-radius: 6px; cursor: pointer; }
button.other, a.button { margin-top: 0.75rem; color: var(--text); background: var(--raised); border: 1px solid var(--line); }
button:disabled { opacity: 0.6; cursor: default; }
[role=alert] { margin-top: 1rem; padding: 0.6rem 0.8rem; border-radius: 6px; color: var(--red); background: var(--red-back); }
[role=status] { margin-top: 1rem; padding: 0.6rem 0.8rem; border-radius: 6px; color: var(--green); background: var(--green-back); }
[hidden] { display: none !important; }
`;

/** `script` is the only one that its policy lets a browser run. */
export function formPage(title: string, main: Html, script: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Telltale</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
<script>${trusted(script)}</script>
</body>
</html>
`.text;
}
