// The documents of the service: the OpenAPI document, the reference page made of it, and the guides.
import { noRights, type Rights } from '../access/index.ts';
import { type ExamplePlant, once, type ServiceParts } from '../operations/index.ts';
import { type OpenApiOptions, openApiDocument } from './openapi.ts';
import type { PageSources } from './page/docs-page.ts';
import { docsScriptHash } from './page/docs-script.ts';

/** The page loads nothing: only its own style and its one script. */
export const pagePolicy = {
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src '${docsScriptHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

export { setupPolicy } from './page/setup-policy.ts';
export { signInPolicy } from './page/sign-in-policy.ts';

export const setupPage = async () => Buffer.from((await import('./page/setup-page.ts')).setupPage());

export const signInPage = async () => Buffer.from((await import('./page/sign-in-page.ts')).signInPage());

/** For people: pages elsewhere may link to them. */
export function isDocument(path: string): boolean {
  return path === '/' || path === '/docs' || path.startsWith('/docs/');
}

/** Made when they are requested: most never are. */
export function documentsOf(
  options: OpenApiOptions,
  plant: (rights: Rights) => Promise<ExamplePlant>,
): ServiceParts['documents'] {
  const api = once(() => openApiDocument(options));
  const pages = once(() => import('./page/docs-page.ts'));
  const documents = once(async (): Promise<PageSources['documents']> => {
    const { base } = await plant(noRights);
    return (await import('./page/documents-folder.ts')).readDocuments(base);
  });
  const sources = async (rights: Rights): Promise<PageSources> => ({
    api: api(),
    plant: await plant(rights),
    documents: await documents(),
  });
  return {
    openApi: once(() => Buffer.from(JSON.stringify(api()))),
    reference: async (rights) => Buffer.from((await pages()).docsPage(await sources(rights))),
    page: async (path, rights) => {
      const page = (await pages()).documentPage(await sources(rights), path);
      return page === undefined ? undefined : Buffer.from(page);
    },
  };
}
