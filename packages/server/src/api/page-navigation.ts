// Tells a browser that goes to a view of the page from whoever asks for an operation: the first is answered with the page. Some
// routes of the page are paths of operations as well, such as /audit.
import type { IncomingMessage } from 'node:http';
import { findPageRoute, jsonType } from '@telltale/schema';
import { chooseType } from './choose-type.ts';
import { originForm } from './request-form.ts';

/**
 * `interfaces` are the paths that settings give the interfaces: what is below one of them is an operation, whatever the route of
 * the page with a parameter in it. Routes without one are views.
 */
export function pageNavigation(interfaces: readonly string[]): (request: IncomingMessage) => boolean {
  return (request) => {
    if ((request.method !== 'GET' && request.method !== 'HEAD') || !prefersPages(request)) return false;
    const [path = ''] = originForm(request.url ?? '').split('?', 1);
    const found = findPageRoute(path);
    if (found === undefined) return false;
    if (found.params.size === 0) return true;
    const plain = `/${path.split('/').filter(Boolean).map(decodeURIComponent).join('/')}`;
    return !interfaces.some((each) => plain === each || plain.startsWith(`${each}/`));
  };
}

/** As browsers do where the address is that of a page; programs take anything. */
export function prefersPages({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept.includes('text/html') && chooseType(accept, [jsonType, 'text/html']) === 'text/html';
}
