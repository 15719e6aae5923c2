// The documents of the service: the OpenAPI document, and the reference page made of it.
import { type ExamplePlant, once } from '../operations/index.ts';
import { type OpenApiOptions, openApiDocument } from './openapi.ts';
import { docsPage, docsScriptHash } from './page/docs-page.ts';

/** The page loads nothing: only its own style and its one script. */
export const pagePolicy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${docsScriptHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** For people: pages elsewhere may link to them. */
export const documentPaths: ReadonlySet<string> = new Set(['/', '/docs', '/docs/']);

/** Made when they are requested: most never are. */
export function documentsOf(
  options: OpenApiOptions,
  plant: () => Promise<ExamplePlant>,
): { readonly openApi: () => Buffer; readonly reference: () => Promise<Buffer> } {
  const document = once(() => openApiDocument(options));
  return {
    openApi: once(() => Buffer.from(JSON.stringify(document()))),
    reference: async () => Buffer.from(docsPage(document(), await plant())),
  };
}
