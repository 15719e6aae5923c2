// The client of the service, and the one channel of the page. Only this folder imports the client; everybody else sees what
// is here as signals and functions.

import { type ReadonlySignal, signal } from '@preact/signals';
import { type ChannelState, TelltaleClient } from '@telltale/client';
import { systemClock } from '@telltale/schema/values';
import { base } from '../base.ts';

const { origin } = globalThis.location;

/** Where the interfaces are, for links that download. */
export const addresses = { data: `${origin}${base}/data`, config: `${origin}${base}/config/v2` } as const;

/** Of whose page it is: the server itself, or a site at a centre. */
export const client = new TelltaleClient({ url: `${origin}${base}/` });

/** Of the server that the browser speaks with: people sign in there, and a centre knows its sites. */
export const home = base === '' ? client : new TelltaleClient({ url: `${origin}/` });

/** A connection that says nothing for two of these is lost: all values are marked stale within 12 s, whatever happens. */
const heartbeatMs = 5000;

export const channel = client.channel({ heartbeatMs, whyRefused: () => home.access.refusal() });

export interface Link {
  readonly state: ChannelState;
  /** Why it was lost. */
  readonly reason: string;
  /** Since when, by the clock of the browser; microseconds since 1970. */
  readonly since: number;
}

const present = signal<Link>({ state: channel.state, reason: '', since: systemClock.now() });

/** While it is not `connected`, all that is shown may be out of date. */
export const link: ReadonlySignal<Link> = present;

channel.onState((state, reason) => {
  present.value = { state, reason, since: state === present.value.state ? present.value.since : systemClock.now() };
});

export { readProblem, TelltaleProblem, Unreachable } from '@telltale/client';
