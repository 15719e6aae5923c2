// Above everything on the page of a site: which one it is, whether it is there, and the way back to all of them.
import { fromTimestamp } from '@telltale/schema/values';
import { base } from '../../base.ts';
import { isAway, site, siteName, siteRefusal } from '../../data/sites.ts';
import { words } from '../../words/words.ts';
import { now } from '../now.ts';
import { shortMomentText } from '../times.ts';

export function SiteBar() {
  if (base === '') return null;
  const { shell, sites } = words.value;
  const found = site.value;
  return (
    <section class={`site-bar ${isAway.value ? 'site-away' : ''}`} aria-label={shell.site}>
      <a href="/sites" data-outside>
        ‹ {shell.allSites}
      </a>
      <span>
        <span class="site-word">{shell.site}</span> <strong>{siteName.value}</strong>{' '}
        {found !== undefined && <code class="site-id">{found.id}</code>}
      </span>
      {siteRefusal.value !== undefined && (
        <span role="alert" lang="en">
          ⚠ {siteRefusal.value.message}
        </span>
      )}
      {isAway.value && found !== undefined && (
        <span role="alert">
          <b>✕ {shell.siteAway(shortMomentText(fromTimestamp(found.since), now.value))}</b>{' '}
          <span lang="en">{found.error}.</span> {shell.siteAwayWhat}
        </span>
      )}
      {found?.['is-twice'] === true && <b role="alert">⚠ {sites.conditions.twice}</b>}
    </section>
  );
}
