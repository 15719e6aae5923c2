// The contents beside each page: the guides, every operation by tag, every problem, every schema.
import { problems } from '@telltale/schema';
import { methodBadge, type RoutedOperation } from './docs-operation.ts';
import { problemAnchor, problemNames } from './docs-problems.ts';
import { schemaAnchor } from './docs-schema.ts';
import type { ServedDocument } from './documents-folder.ts';
import { type Content, type Html, html } from './html.ts';
import type { Schemas } from './json-schema.ts';

export interface Group {
  readonly tag: string;
  readonly about: string | undefined;
  /** From the reference. */
  readonly guide: string | undefined;
  readonly anchor: string;
  readonly operations: readonly RoutedOperation[];
}

/** What the contents list. */
export interface Contents {
  readonly title: string;
  readonly groups: readonly Group[];
  readonly schemas: Schemas;
  readonly documents: Iterable<ServedDocument>;
  /** The way from the page to the reference: nothing for the reference itself. */
  readonly home: string;
}

/** On a phone it opens over the page while it is the target of the address, so that any link in it closes it. */
export function contents({ title, groups, schemas, documents, home }: Contents): Html {
  const areas = Map.groupBy(groups, ({ tag }) => areaOf(tag));
  return html`<nav id="page-contents" aria-label="Contents">
<p class="close"><a href="#page-main">Close</a></p>
${brand(title, home)}
<p class="filter" hidden><label for="page-filter">Search guides and operations</label>
<input id="page-filter" type="search" placeholder="Search, such as put alarm" autocomplete="off" spellcheck="false"></p>
<div class="area">${documentFolds(documents, home)}</div>
${[...areas].map(
  ([area, members]) => html`<div class="area">${area !== '' && html`<p class="area-name">${area}</p>`}
${members.map(({ tag, operations }) =>
  fold(
    titleOf(tag),
    operations.map((each) => operationEntry(each, home)),
    home === '',
  ),
)}</div>`,
)}
<div class="area"><p class="area-name">Reference</p>
${fold('Problems', [entry(`${home}#page-problems`, 'About problems', 'problems'), ...problemEntries(home)], false)}
${fold('Schemas', schemaEntries(schemas, home), false)}
</div></nav>`;
}

const folders = { guides: 'Guides', stacks: 'Protocols', generated: 'Tables' };

/** A document shows in a search by its words, and the section that has them with it. */
function documentFolds(documents: Iterable<ServedDocument>, home: string): Html[] {
  const byFolder = Map.groupBy(documents, ({ path }) => path.split('/')[0] ?? '');
  return Object.entries(folders).map(([folder, title]) => {
    const entries = (byFolder.get(folder) ?? []).flatMap(({ path, title: document, sections }) =>
      sections.map(({ title: section, anchor, text }, index) => {
        const address = `${home === '' ? '../docs/' : home}${path}${index === 0 ? '' : `#${anchor}`}`;
        const label = index === 0 ? document : html`<span class="within">${document}</span> ${section}`;
        return entry(address, label, `${document} ${words(text)}`, index > 0);
      }),
    );
    return fold(title, entries, folder === 'guides');
  });
}

/** Each once. */
function words(text: string): string {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu))].join(' ');
}

export function brand(title: string, home: string): Html {
  return html`<a class="brand" href="${home}#page-main">${title} <span>API reference</span></a>`;
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

/** `find` is what a search looks at; some entries show in a search alone. */
function entry(address: string, label: Content, find: string, isInSearch = false): Html {
  const data = html` data-find="${find.toLowerCase()}"${isInSearch && html` data-searched hidden`}`;
  return html`<li${data}><a href="${address}">${label}</a></li>\n`;
}

function operationEntry({ method, path, operation }: RoutedOperation, home: string): Html {
  const { operationId, summary } = operation;
  const label = html`${methodBadge(method)} <span>${shortened(summary)}</span>`;
  return entry(`${home}#${operationId}`, label, [method, path, operationId, summary].join(' '));
}

/** The summary up to its first pause, unless that says next to nothing. */
export function shortened(summary: string): string {
  const [start = summary] = summary.split(/[,;:]/);
  return start.includes(' ') ? start : summary;
}

function problemEntries(home: string): Html[] {
  return problemNames.map((name) =>
    entry(
      `${home}#${problemAnchor(name)}`,
      html`<span class="code-name">${name}</span>`,
      `${name} ${problems[name].title}`,
    ),
  );
}

function schemaEntries(schemas: Schemas, home: string): Html[] {
  return [...schemas.keys()].map((name) =>
    entry(`${home}#${schemaAnchor(name)}`, html`<span class="code-name">${name}</span>`, `schema ${name}`),
  );
}
