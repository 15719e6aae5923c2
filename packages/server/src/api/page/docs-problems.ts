// Problems on the page: the catalogue, and what of it one operation can answer.
import { ProblemError, type ProblemName, problemMediaType, problems } from '@telltale/schema';
import type { OpenApi, Operation } from '../openapi.ts';
import { exampleJson } from './docs-curl.ts';
import { type Content, type Html, html } from './html.ts';

/** The end of what `problemPage` gives: the `type` of a problem leads to it. */
export const problemAnchor = (name: ProblemName) => `problem-${name}`;

export const problemNames = Object.keys(problems) as ProblemName[];

export function statusBadge(status: number | string): Html {
  return html`<span class="status s${String(status).slice(0, 1)}">${status}</span>`;
}

/** The problems that every operation can answer: each operation lists the others. */
export function commonProblems(api: OpenApi): ReadonlySet<ProblemName> {
  const all = Object.values(api.paths).flatMap((path) => Object.values(path).map(problemsOfOperation));
  return new Set(all[0]?.filter((name) => all.every((names) => names.includes(name))));
}

function problemsOfOperation({ responses }: Operation): ProblemName[] {
  return Object.values(responses).flatMap((response) => response['x-problems'] ?? []);
}

export function operationProblems(operation: Operation, common: ReadonlySet<ProblemName>): Content {
  const names = problemsOfOperation(operation);
  const own = names.filter((name) => !common.has(name));
  const shared = names.filter((name) => common.has(name));
  if (names.length === 0) return undefined;
  return html`<h4>Problems</h4>${own.length > 0 && problemList(own)}${
    shared.length > 0 &&
    html`<details><summary>${shared.length} that every operation can answer</summary>${problemList(shared)}</details>`
  }`;
}

function problemList(names: readonly ProblemName[]): Html {
  return html`<ul class="problems">${names.map((name) => {
    const { status, title } = problems[name];
    const link = html`<a href="#${problemAnchor(name)}"><code>${name}</code></a>`;
    return html`<li>${statusBadge(status)} ${link} <span>${title}</span></li>`;
  })}</ul>`;
}

/** Every problem of the service, whether an operation names it or not. */
export function problemCatalogue(): Html {
  const sample = new ProblemError('invalid-body', '/severity must be an integer.', [
    { path: '/severity', message: 'must be an integer' },
  ]);
  return html`<section class="group" id="page-problems" aria-labelledby="page-problems-title">
<h2 id="page-problems-title">Problems</h2>
<p>Whatever does not succeed is answered as <code>${problemMediaType}</code> (RFC 9457). Its <code>type</code> leads to
one of the entries below; its <code>detail</code> says what happened, and <code>errors</code>, where there are any, name
each field.</p>
<pre class="code"><code>${exampleJson(sample)}</code></pre>
<div class="catalogue">${problemNames.map((name) => {
    const { status, title, remedy } = problems[name];
    return html`<article class="problem" id="${problemAnchor(name)}">
<h3><a class="self" href="#${problemAnchor(name)}">${title}</a></h3>
<p class="which">${statusBadge(status)} <code>${name}</code></p><p>${remedy}</p></article>`;
  })}</div></section>`;
}
