// The views, by path. Each is loaded when somebody goes there for the first time.
import { findPageRoute, type PageRoute } from '@telltale/schema/values';
import type { FunctionComponent } from 'preact';
import type { Words } from './words/words.ts';

export interface ViewProps {
  /** What stands for `:name` and the like in the path of the route. */
  readonly parameters: Readonly<Record<string, string>>;
}

type View = FunctionComponent<ViewProps>;

export interface Route {
  readonly path: PageRoute;
  /** Its key in the words of the frame. */
  readonly title: keyof Words['shell']['views'];
  /** A drawer opens over the view that was there before. */
  readonly isDrawer?: true;
  readonly load: () => Promise<{ readonly default: View }>;
}

const start = () => import('./views/start/start-view.tsx');
const config = () => import('./views/config/config-view.tsx');
const connectors = () => import('./views/connectors/connectors-view.tsx');
const modules = () => import('./views/modules/modules-view.tsx');
const trends = () => import('./views/trends/trends-view.tsx');
const alarms = () => import('./views/alarms/alarms-view.tsx');
const pictures = () => import('./views/pictures/pictures-view.tsx');

export const routes: readonly Route[] = [
  { path: '/', title: 'start', load: start },
  { path: '/points', title: 'points', load: () => import('./views/points/points-view.tsx') },
  { path: '/points/:name', title: 'points', isDrawer: true, load: () => import('./views/point/point-view.tsx') },
  { path: '/trends', title: 'trends', load: trends },
  { path: '/trends/:name', title: 'trends', load: trends },
  { path: '/alarms', title: 'alarms', load: alarms },
  { path: '/alarms/history', title: 'history', load: alarms },
  { path: '/pictures', title: 'pictures', load: pictures },
  { path: '/pictures/:name', title: 'pictures', load: pictures },
  { path: '/config', title: 'config', load: config },
  { path: '/config/changes', title: 'changes', load: config },
  { path: '/config/revisions', title: 'revisions', load: config },
  { path: '/config/:family', title: 'config', load: config },
  { path: '/config/:family/:name', title: 'config', load: config },
  { path: '/connectors', title: 'connectors', load: connectors },
  { path: '/connectors/:name', title: 'connectors', load: connectors },
  { path: '/modules', title: 'modules', load: modules },
  { path: '/modules/:name', title: 'modules', load: modules },
  { path: '/forced', title: 'forced', load: () => import('./views/forced/forced-view.tsx') },
  { path: '/audit', title: 'audit', load: () => import('./views/audit/audit-view.tsx') },
  { path: '/archive', title: 'archive', load: () => import('./views/archive/archive-view.tsx') },
  { path: '/access', title: 'access', load: () => import('./views/access/access-view.tsx') },
  { path: '/system', title: 'system', load: () => import('./views/system/system-view.tsx') },
];

export interface Found {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The view of a path; undefined where there is none. */
export function findRoute(path: string): Found | undefined {
  const found = findPageRoute(path);
  const route = routes.find((each) => each.path === found?.route);
  return found && route && { route, parameters: Object.fromEntries(found.params) };
}
