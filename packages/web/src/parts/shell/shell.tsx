// The frame around all views: what is always there, the view of the present path, and the drawer over it.

import { useEffect } from 'preact/hooks';
import { clockOffset } from '../../data/overview.ts';
import { link } from '../../data/service.ts';
import { isAway } from '../../data/sites.ts';
import { isStale } from '../../data/staleness.ts';
import { leaveDrawer, place, putUnder, under } from '../../router.ts';
import { findRoute } from '../../routes.ts';
import { words } from '../../words/words.ts';
import { Notices } from '../notices.tsx';
import { clockText } from '../times.ts';
import { AlarmBanner } from './alarm-banner.tsx';
import { Drawer } from './drawer.tsx';
import { KeysHelp } from './keys-help.tsx';
import { lazyView } from './lazy-view.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { PastBar } from './past-bar.tsx';
import { ServiceBars } from './service-bars.tsx';
import { SiteBar } from './site-bar.tsx';
import { Status } from './status.tsx';

export function Shell() {
  const { shell } = words.value;
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {shell.skip}
      </a>
      <SiteBar />
      <header class="top">
        <AlarmBanner />
        <Status />
      </header>
      <div class="bars">
        <PastBar />
        <ServiceBars />
      </div>
      {isStale.value && !isAway.value && (
        <p class="no-link" role="alert">
          ⚠ {shell.linkLost(clockText(link.value.since + clockOffset.value))}
        </p>
      )}
      <Navigation />
      <main id="content" tabIndex={-1} data-stale={isStale.value ? 'true' : undefined}>
        <Content />
      </main>
      <Palette />
      <KeysHelp />
      <Notices />
    </div>
  );
}

/** Below a drawer stays the view that it was opened over; below one that a link led to, the list that it belongs to. */
function Content() {
  const { path } = place.value;
  const found = findRoute(path);
  const listPath = path.slice(0, path.lastIndexOf('/'));
  const isOverNothing = found?.route.isDrawer === true && under.value === undefined;
  useEffect(() => {
    if (isOverNothing) putUnder(listPath);
  }, [isOverNothing, listPath]);
  if (found === undefined) return <NotFound />;
  const { route, parameters } = found;
  if (route.isDrawer !== true) return lazyView(route, parameters);
  if (under.value === undefined) return null;
  const underneath = findRoute(new URL(under.value, globalThis.location.origin).pathname);
  return (
    <>
      {underneath !== undefined &&
        underneath.route.isDrawer !== true &&
        lazyView(underneath.route, underneath.parameters)}
      <Drawer onClose={() => leaveDrawer(listPath)}>{lazyView(route, parameters)}</Drawer>
    </>
  );
}

function NotFound() {
  const { common } = words.value;
  return (
    <div class="view">
      <h1>{common.notFound}</h1>
      <p>
        <a href="/">{common.toStart}</a>
      </p>
    </div>
  );
}
