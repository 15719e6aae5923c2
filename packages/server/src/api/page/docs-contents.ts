// The contents beside the page: every operation by tag, every problem, every schema.
import { problems } from '@telltale/schema';
import { methodBadge, type RoutedOperation } from './docs-operation.ts';
import { problemAnchor, problemNames } from './docs-problems.ts';
import { schemaAnchor } from './docs-schema.ts';
import { type Content, type Html, html } from './html.ts';
import type { Schemas } from './json-schema.ts';

export interface Group {
  readonly tag: string;
  readonly anchor: string;
  readonly operations: readonly RoutedOperation[];
}

/** On a phone it opens over the page while it is the target of the address, so that any link in it closes it. */
export function contents(title: string, groups: readonly Group[], schemas: Schemas): Html {
  const areas = Map.groupBy(groups, ({ tag }) => areaOf(tag));
  return html`<nav id="page-contents" aria-label="Contents">
<p class="close"><a href="#page-main">Close</a></p>
${brand(title)}
<p class="filter" hidden><label for="page-filter">Filter the contents</label>
<input id="page-filter" type="search" placeholder="Filter, such as put alarm" autocomplete="off" spellcheck="false"></p>
${[...areas].map(
  ([area, members]) => html`<div class="area">${area !== '' && html`<p class="area-name">${area}</p>`}
${members.map(({ tag, operations }) => fold(titleOf(tag), operations.map(operationEntry), true))}</div>`,
)}
<div class="area"><p class="area-name">Reference</p>
${fold('Problems', [entry('page-problems', 'About problems', 'problems'), ...problemEntries()], false)}
${fold('Schemas', schemaEntries(schemas), false)}
</div></nav>`;
}

export function brand(title: string): Html {
  return html`<a class="brand" href="#page-main">${title} <span>API reference</span></a>`;
}

/** `Configuration` of `Configuration: alarms`. */
function areaOf(tag: string): string {
  return tag.includes(': ') ? tag.slice(0, tag.indexOf(': ')) : '';
}

/** `Alarms` of `Configuration: alarms`. */
function titleOf(tag: string): string {
  const title = tag.slice(tag.includes(': ') ? tag.indexOf(': ') + 2 : 0);
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}

function fold(title: string, entries: readonly Html[], open: boolean): Html {
  return html`<details${open && html` open`}><summary>${title}</summary><ul>${entries}</ul></details>`;
}

/** `find` is what the filter looks at. */
function entry(anchor: string, label: Content, find: string): Html {
  return html`<li data-find="${find.toLowerCase()}"><a href="#${anchor}">${label}</a></li>\n`;
}

function operationEntry({ method, path, operation: { operationId, summary } }: RoutedOperation): Html {
  const label = html`${methodBadge(method)} <span>${shortened(summary)}</span>`;
  return entry(operationId, label, [method, path, operationId, summary].join(' '));
}

/** The summary up to its first pause, unless that says next to nothing. */
export function shortened(summary: string): string {
  const [start = summary] = summary.split(/[,;:]/);
  return start.includes(' ') ? start : summary;
}

function problemEntries(): Html[] {
  return problemNames.map((name) =>
    entry(problemAnchor(name), html`<span class="code-name">${name}</span>`, `${name} ${problems[name].title}`),
  );
}

function schemaEntries(schemas: Schemas): Html[] {
  return [...schemas.keys()].map((name) =>
    entry(schemaAnchor(name), html`<span class="code-name">${name}</span>`, `schema ${name}`),
  );
}
