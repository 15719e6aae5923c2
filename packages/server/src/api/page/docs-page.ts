// The API reference as one page that needs nothing else: no script, no font, no picture from anywhere.
import type { OpenApi } from '../openapi.ts';

export function docsPage(api: OpenApi): string {
  return `<!doctype html><title>${api.info.title}</title><pre>${Object.keys(api.paths).join('\n')}</pre>`;
}
