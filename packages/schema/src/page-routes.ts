// The routes of the page, which the service answers with the page and the page with a view. For both sides: it imports nothing.

/** `:name` stands for any text. A route without one goes before one that has it. */
export const pageRoutes = [
  '/',
  '/points',
  '/points/:name',
  '/trends',
  '/trends/:name',
  '/alarms',
  '/alarms/history',
  '/pictures',
  '/pictures/:name',
  '/config',
  '/config/changes',
  '/config/revisions',
  '/config/:family',
  '/config/:family/:name',
  '/connectors',
  '/connectors/:name',
  '/modules',
  '/modules/:name',
  '/forced',
  '/audit',
  '/archive',
  '/access',
  '/system',
  '/sites',
] as const;

export type PageRoute = (typeof pageRoutes)[number];

export interface FoundPageRoute {
  readonly route: PageRoute;
  /** Decoded. */
  readonly params: ReadonlyMap<string, string>;
}

/** What all of the page of a site at a centre is below, such as `/sites/north`; '' of any other path. */
export function siteBaseOf(path: string): string {
  return /^\/sites\/[^/]+/.exec(path)?.[0] ?? '';
}

/** By the path of a URL, without its query; undefined where there is no such view. */
export function findPageRoute(path: string): FoundPageRoute | undefined {
  const parts = partsOf(path);
  if (parts === undefined) return undefined;
  for (const route of pageRoutes) {
    const params = paramsOf(route, parts);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function paramsOf(route: PageRoute, parts: readonly string[]): Map<string, string> | undefined {
  const names = route.split('/').filter(Boolean);
  if (names.length !== parts.length) return undefined;
  const params = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const part = parts[at] ?? '';
    if (name.startsWith(':')) params.set(name.slice(1), part);
    else if (name !== part) return undefined;
  }
  return params;
}

function partsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
