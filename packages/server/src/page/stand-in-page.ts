// What is served in place of the page while it is not ready, and where it cannot be made. Neither runs a script.
import { createHash } from 'node:crypto';
import type { PageAnswer } from './made-page.ts';

const style = `:root { color-scheme: light dark; }
body { max-width: 40rem; margin: 20vh auto 2rem; padding: 0 1.25rem; font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.25rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0.75rem; border: 1px solid; }`;

const styleHash = createHash('sha256').update(style).digest('base64');

const headers = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  vary: 'accept',
};

/** Asks again by itself. */
export function waitingPage(): PageAnswer {
  return answerOf('Starting', '<p role="status">The page is being made ready. It comes by itself.</p>', true);
}

/** `failure` is undefined for those who are not to be told. */
export function failedPage(failure: string | undefined): PageAnswer {
  const reason =
    failure === undefined ? '<p>The log of the server says why.</p>' : `<pre>${escaped(failure.slice(0, 4000))}</pre>`;
  return answerOf(
    'The page cannot be shown',
    `<p>It could not be built. Everything else works: values, alarms, the archive, the <a href="/docs/">interfaces</a>.</p>
${reason}
<p>Repair what it names, or install anew with <code>npm ci</code>; then restart the server.</p>`,
    false,
  );
}

function answerOf(title: string, main: string, asksAgain: boolean): PageAnswer {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${asksAgain ? '<meta http-equiv="refresh" content="1">\n' : ''}<title>${title} · Telltale</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`;
  return { headers, body: { type: 'text/html; charset=utf-8', codings: { identity: Buffer.from(html) } } };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => entities[character] ?? '');
}
