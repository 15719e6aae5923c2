// Federation over NATS: what a site and a centre say to each other. PROTOCOL.md has the subjects and the bytes.
export { BadBusAddress, type BusAddress, busAddressText, parseBusAddress } from './connection/bus-address.ts';
export { BusConnection, type BusMessage, type BusOptions, type BusState } from './connection/bus-connection.ts';
export { BusError, type BusFailure } from './connection/bus-error.ts';
export { type BusFinding, examineBus } from './examine.ts';
export type { ExchangeStream } from './exchange/exchange-stream.ts';
export { type ForwardTarget, forwardRequest, forwardUpgrade } from './exchange/forward-http.ts';
export {
  ForwardError,
  type Forwarded,
  Forwarder,
  type ForwarderOptions,
  type ForwardTimes,
} from './exchange/forwarder.ts';
export type { Outcome } from './exchange/heads.ts';
export { OutcomeLog } from './exchange/outcome-log.ts';
export { type OwnServer, serveExchange } from './exchange/serve-exchange.ts';
export { type SiteExchange, SiteExchanges, type SiteExchangesOptions } from './exchange/site-exchanges.ts';
export { LivePublisher, type LivePublisherOptions } from './live/live-publisher.ts';
export { LiveSite, type LiveSiteOptions, type LiveSiteState } from './live/live-site.ts';
export {
  type NatsConfigurationOptions,
  natsAuthorization,
  natsConfiguration,
  rightsVersion,
} from './roles/nats-configuration.ts';
export { type BusMember, type BusRole, commonNameOf } from './roles/roles.ts';
export type { Beat } from './sites/beat.ts';
export { type BeatFacts, SiteBeats, type SiteBeatsOptions } from './sites/site-beats.ts';
export { type SiteMoment, type SiteState, Sites, type SitesOptions } from './sites/sites.ts';
export { inboxOf, rights } from './subjects.ts';
export { Archiver, type ArchiverCounts, type ArchiverOptions } from './uplink/archiver.ts';
export { BusStore, type BusStoreOptions } from './uplink/bus-store.ts';
