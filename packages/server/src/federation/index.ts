// Sites and a centre: what makes this server one or the other on a bus. What speaks on the bus is loaded where there is one.
export { Centre, type RecordedRequest, type ServedBy, type SiteOutcome } from './centre.ts';
export { checkBus, UnusableBus } from './open-bus.ts';
export type { AskedOutcome } from './recorded-channel.ts';
export { type LeadingNode, type LiveObjects, SiteOnBus } from './site-on-bus.ts';
export type { ViewedSite } from './site-views.ts';
