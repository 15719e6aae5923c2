// The views, by path. All but the start are loaded when somebody goes to one of them for the first time.
import { findPageRoute, type PageRoute } from '@telltale/schema/values';
import type { FunctionComponent } from 'preact';
import { base } from './base.ts';
import StartView from './views/start/start-view.tsx';
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
  readonly load: () => Promise<View>;
}

/** The views but the start are one chunk: one for each would take a fifth more in all. */
const view = (name: keyof typeof import('./views/views.ts')) => async () => (await import('./views/views.ts'))[name];

const start = async () => StartView;
const config = view('config');
const connectors = view('connectors');
const modules = view('modules');
const trends = view('trends');
const alarms = view('alarms');
const pictures = view('pictures');

export const routes: readonly Route[] = [
  { path: '/', title: 'start', load: start },
  { path: '/points', title: 'points', load: view('points') },
  { path: '/points/:name', title: 'points', isDrawer: true, load: view('point') },
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
  { path: '/forced', title: 'forced', load: view('forced') },
  { path: '/audit', title: 'audit', load: view('audit') },
  { path: '/archive', title: 'archive', load: view('archive') },
  { path: '/access', title: 'access', load: view('access') },
  { path: '/system', title: 'system', load: view('system') },
  { path: '/sites', title: 'sites', load: view('sites') },
];

export interface Found {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The view of a path; undefined where there is none. At a site of a centre nobody has an account, a password or a signature. */
export function findRoute(path: string): Found | undefined {
  const found = findPageRoute(path);
  const route = routes.find(({ path }) => path === found?.route && (path !== '/access' || base === ''));
  return found && route && { route, parameters: Object.fromEntries(found.params) };
}
