// The subjects of the bus, each in one place. PROTOCOL.md says what goes where, and who may.

/** What a site may be called: a token of a subject. */
const sitePattern = /^[0-9A-Za-z_-]{1,64}$/;

/** Of which one answers each request of a site. */
export const archivers = 'archivers';

/** Throws where no subject can have it. */
export function checkSite(site: string): string {
  if (!sitePattern.test(site)) throw new RangeError(`${JSON.stringify(site)} is no id of a site`);
  return site;
}

/** Where answers come to that a site, or a centre, has asked for. */
export function inboxOf(who: string): string {
  return `inbox.${checkSite(who)}`;
}

/** Whether an answer may go there: who asks chooses where, and might choose a place of others. */
export function isInboxOf(who: string, subject: string | undefined): boolean {
  return subject?.startsWith(`${inboxOf(who)}.`) === true;
}

/** Parcels, and what is asked about them. */
export const uplink = {
  all: 'up.*.*',
  ofSite: (site: string) => `up.${checkSite(site)}.*`,
  parcel: (site: string, epoch: number, seq: number) => `up.${checkSite(site)}.${epoch}-${seq}`,
  newest: (site: string, epoch: number) => `up.${checkSite(site)}.newest-${epoch}`,
  claim: (site: string) => `up.${checkSite(site)}.claim`,
} as const;

export type UplinkRequest = { readonly site: string } & (
  | { readonly kind: 'parcel'; readonly epoch: number; readonly seq: number }
  | { readonly kind: 'newest'; readonly epoch: number }
  | { readonly kind: 'claim' }
);

/** Undefined: it is none. */
export function uplinkRequest(subject: string): UplinkRequest | undefined {
  const [, site, what = ''] = /^up\.([0-9A-Za-z_-]{1,64})\.([a-z0-9-]{1,40})$/.exec(subject) ?? [];
  if (site === undefined) return undefined;
  if (what === 'claim') return { kind: 'claim', site };
  const [, first = '', second = ''] = /^(newest|\d{1,16})-(\d{1,16})$/.exec(what) ?? [];
  if (first === '' || !Number.isSafeInteger(Number(second))) return undefined;
  if (first === 'newest') return { kind: 'newest', site, epoch: Number(second) };
  if (!Number.isSafeInteger(Number(first))) return undefined;
  return { kind: 'parcel', site, epoch: Number(first), seq: Number(second) };
}

/** A centre hears itself there where the server that it is connected to has read the list of members of this version. */
export const rights = {
  read: (version: string) => `rights.${checkSite(version)}`,
  all: 'rights.*',
} as const;

/** What a site says of itself, every second. */
export const beats = {
  of: (site: string) => `live.${checkSite(site)}.beat`,
  /** Of every site. */
  all: 'live.*.beat',
} as const;

/** What a site publishes while somebody wants it. */
export type FeedKind = 'measurements' | 'commands' | 'alarms';

export const feeds = {
  of: (site: string, kind: FeedKind) => `live.${checkSite(site)}.${kind}`,
  ofSite: (site: string) => `live.${checkSite(site)}.*`,
  askedOf: (site: string) => `ask.${checkSite(site)}.*`,
  /** Who wants it says so here. */
  ask: (site: string, kind: FeedKind) => `ask.${checkSite(site)}.${kind}`,
} as const;

/** Undefined: it is none. */
export function siteOfBeat(subject: string): string | undefined {
  return /^live\.([0-9A-Za-z_-]{1,64})\.beat$/.exec(subject)?.[1];
}

/** Exchanges: of a site with a centre, which numbers them. */
export const exchanges = {
  to: (site: string, centre: string, number: number) => `to.${checkSite(site)}.${checkSite(centre)}.${number}`,
  toSite: (site: string) => `to.${checkSite(site)}.*.*`,
  fromSite: (site: string) => `from.${checkSite(site)}.*.*`,
  from: (site: string, centre: string, number: number) => `from.${checkSite(site)}.${checkSite(centre)}.${number}`,
  fromAll: (centre: string) => `from.*.${checkSite(centre)}.*`,
} as const;

export interface ExchangeName {
  readonly site: string;
  readonly centre: string;
  readonly number: number;
}

/** Undefined: it is none. */
export function exchangeName(subject: string): ExchangeName | undefined {
  const token = '[0-9A-Za-z_-]{1,64}';
  const [, site, centre = '', number] =
    new RegExp(`^(?:to|from)\\.(${token})\\.(${token})\\.(\\d{1,15})$`).exec(subject) ?? [];
  return site === undefined ? undefined : { site, centre, number: Number(number) };
}
