// The pages of the documents: the API reference, and guides beside it. Each is self-contained: it loads no font, no picture,
// no script.
import type { ExamplePlant } from '../../operations/index.ts';
import type { OpenApi } from '../openapi.ts';
import { brand, contents, type Group, shortened } from './docs-contents.ts';
import { methodBadge, operationArticle, pathInCode, type RoutedOperation } from './docs-operation.ts';
import { commonProblems, problemCatalogue } from './docs-problems.ts';
import { schemaAnchor, schemaInFull } from './docs-schema.ts';
import { docsScript } from './docs-script.ts';
import { docsStyle } from './docs-style.ts';
import type { ServedDocument } from './documents-folder.ts';
import { type Html, html, trusted } from './html.ts';
import type { JsonSchema, Schemas } from './json-schema.ts';

export { docsScriptHash } from './docs-script.ts';

const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0f6674"/>' +
      '<path d="M2 9h3l2-5 3 9 2-4h2" fill="none" stroke="#fff" stroke-width="1.6"/></svg>',
  );

/** What the pages are made from. */
export interface PageSources {
  readonly api: OpenApi;
  readonly plant: ExamplePlant;
  readonly documents: ReadonlyMap<string, ServedDocument>;
}

export function docsPage(sources: PageSources): string {
  const { api, plant } = sources;
  const { title, version, description, license } = api.info;
  const schemas = schemasOf(api);
  const groups = groupsOf(api);
  const around = { schemas, plant, common: commonProblems(api) };
  return frame(sources, '', {
    title: `${title} API reference`,
    main: html`<section class="opening"><h1>${title} API reference</h1><p class="lead">${description}</p>
<p class="about">Version ${version} · ${license.name}${
      api.paths['/openapi.json'] !== undefined && html` · <a href="../openapi.json">OpenAPI 3.1 document</a>`
    }</p>
${conventions(plant)}</section>
${groups.map(
  ({
    tag,
    about,
    guide,
    anchor,
    operations,
  }) => html`<section class="group" id="${anchor}" aria-labelledby="${anchor}-title">
<h2 id="${anchor}-title">${tag}</h2><p>${about}${guide && html` <a href="${guide}">Guide</a>`}</p>
${operationList(operations)}
${operations.map((operation) => operationArticle(operation, { ...around, guide }))}</section>`,
)}
${problemCatalogue()}
${schemaSection(schemas)}`,
  });
}

/** A guide, or another document; undefined where there is none of this path. */
export function documentPage(sources: PageSources, path: string): string | undefined {
  const document = sources.documents.get(path);
  if (document === undefined) return undefined;
  const { title, body } = document;
  return frame(sources, '../', {
    title: `${title} – ${sources.api.info.title}`,
    main: html`<article class="document">${body}</article>`,
  });
}

function frame({ api, plant, documents }: PageSources, home: string, page: { title: string; main: Html }): string {
  const { title, description } = api.info;
  const contentsOf = { title, groups: groupsOf(api), schemas: schemasOf(api), documents: documents.values(), home };
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="description" content="${description}">
<title>${page.title}</title><link rel="icon" href="${icon}"><style>${trusted(docsStyle)}</style></head>
<body data-base="${plant.base}"><a class="skip" href="#page-main">Skip to the text</a>
<header class="bar">${brand(title, home)}
<a class="menu" href="#page-contents">Contents</a></header>
<div class="frame">${contents(contentsOf)}
<main id="page-main">${page.main}</main></div><script>${trusted(docsScript)}</script></body></html>
`.text;
}

function schemasOf(api: OpenApi): Schemas {
  return new Map(Object.entries(api.components.schemas as Record<string, JsonSchema>));
}

function groupsOf(api: OpenApi): Group[] {
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): RoutedOperation => ({ method, path, operation })),
  );
  return api.tags.map(({ name: tag, description: about, externalDocs }) => ({
    tag,
    about,
    guide: externalDocs && `..${externalDocs.url}`,
    anchor: `tag-${tag.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}`,
    operations: all.filter(({ operation }) => operation.tags.includes(tag)),
  }));
}

function conventions({ base }: ExamplePlant): Html {
  return html`<dl class="conventions">
<dt>Address</dt><dd>The examples ask <code>${base}</code>, where this service listens, for objects of its plant; where it has
none of a kind, the name is made up. They are for a POSIX shell; on Windows that is Git Bash or WSL.</dd>
<dt>Bodies</dt><dd>JSON in UTF-8, checked strictly: nothing is converted and nothing is dropped in silence. Where a
field may be <code>null</code>, that is the same as leaving it out.</dd>
<dt>Success</dt><dd>200 has a body; 204 has none, and says that it happened.</dd>
<dt>Problems</dt><dd>Everything else is a <a href="#page-problems">problem</a> with a <code>type</code> that leads to
its remedy on this page.</dd>
</dl>`;
}

function operationList(operations: readonly RoutedOperation[]): Html {
  return html`<ul class="list">${operations.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}">${methodBadge(method)} ${pathInCode(path)}
<span class="says">${shortened(operation.summary)}</span></a></li>`,
  )}</ul>`;
}

function schemaSection(schemas: Schemas): Html {
  return html`<section class="group" id="page-schemas" aria-labelledby="page-schemas-title">
<h2 id="page-schemas-title">Schemas</h2>${[...schemas].map(
    ([name, schema]) => html`<article class="schema" id="${schemaAnchor(name)}">
<h3><a class="self" href="#${schemaAnchor(name)}"><code>${name}</code></a></h3>
${schemaInFull(schema, schemas)}</article>`,
  )}</section>`;
}
