// The documents of the service: the OpenAPI document, and the reference page made of it.
import { once } from '../operations/index.ts';
import { type OpenApiOptions, openApiDocument } from './openapi.ts';
import { docsPage, docsScriptHash } from './page/docs-page.ts';

/** The page needs nothing from anywhere: its own style, its one script, and no more. */
export const pagePolicy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${docsScriptHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** For people: pages elsewhere may link to them. */
export const documentPaths: ReadonlySet<string> = new Set(['/', '/docs', '/docs/']);

/** Bytes, which all who ask for them share, made when somebody asks: most never do. */
export function documentsOf(options: OpenApiOptions): {
  readonly openApi: () => Buffer;
  readonly reference: () => Buffer;
} {
  return {
    openApi: once(() => Buffer.from(JSON.stringify(openApiDocument(options)))),
    reference: once(() => Buffer.from(docsPage(openApiDocument(options)))),
  };
}
