// What is asked of all sites of a centre together.
export { alarmsOfSites } from './alarms-of-sites.ts';
export { pointsOfSites } from './points-of-sites.ts';
export { seenSites, shownSite, unknownSite } from './seen-sites.ts';
export type { AlarmsAtSite, NameInInterval, SitesHistory, SitesParts } from './sites-parts.ts';
export { transitionsOfSites } from './transitions-of-sites.ts';
