// Tells a browser that goes to a view of the page from whoever asks for an operation: the first is answered with the page. Some
// routes of the page are paths of operations as well, such as /audit.
import type { IncomingMessage } from 'node:http';
import { findPageRoute, jsonType, siteBaseOf } from '@telltale/schema';
import { chooseType } from './choose-type.ts';
import { originForm } from './request-form.ts';

export interface PageNavigation {
  /** A browser goes to a view of the page. */
  readonly isPage: (request: IncomingMessage) => boolean;
  /** A browser goes to an address of nobody's, unless there is a route for it: the page tells that there is no such view. */
  readonly isOutside: (request: IncomingMessage) => boolean;
}

export interface PageNavigationOptions {
  /**
   * The paths that settings give the interfaces: what is below one of them is an operation, whatever the route of the page with a
   * parameter in it. Routes without one are views.
   */
  readonly interfaces: readonly string[];
  /** The service is a centre: each of its sites has the page below its base. */
  readonly hasSites: boolean;
}

export function pageNavigation({ interfaces, hasSites }: PageNavigationOptions): PageNavigation {
  const isGoing = (request: IncomingMessage) =>
    (request.method === 'GET' || request.method === 'HEAD') && prefersPages(request);
  const isBelow = (path: string) => {
    const plain = `/${path.split('/').filter(Boolean).map(decodeURIComponent).join('/')}`;
    return interfaces.some((each) => plain === each || plain.startsWith(`${each}/`));
  };
  return {
    isPage: (request) => {
      if (!isGoing(request)) return false;
      const whole = pathOf(request);
      const path = hasSites ? whole.slice(siteBaseOf(whole).length) : whole;
      const found = findPageRoute(path);
      return found !== undefined && (found.params.size === 0 || !isBelow(path));
    },
    isOutside: (request) => isGoing(request) && isReadable(pathOf(request)) && !isBelow(pathOf(request)),
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return originForm(url).split('?', 1)[0] ?? '';
}

function isReadable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** As browsers do where the address is that of a page; programs take anything. */
export function prefersPages({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept.includes('text/html') && chooseType(accept, [jsonType, 'text/html']) === 'text/html';
}
