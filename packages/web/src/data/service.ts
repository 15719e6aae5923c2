// The client of the service, and the one channel of the page. Only this folder imports the client; everybody else sees what
// is here as signals and functions.

import { type ReadonlySignal, signal } from '@preact/signals';
import { type ChannelState, TelltaleClient } from '@telltale/client';
import { systemClock } from '@telltale/schema/values';

interface Paths {
  readonly data?: string;
  readonly channel?: string;
  readonly config?: string;
}

/** The server writes into the page where its interfaces are. */
function pathsOfService(): Paths {
  const text = document.querySelector('meta[name="telltale-paths"]')?.getAttribute('content');
  try {
    return JSON.parse(text ?? '{}') as Paths;
  } catch {
    return {};
  }
}

const { origin } = globalThis.location;
const { data = '/data', channel: channelPath = '/data/ws', config = '/config/v2' } = pathsOfService();

/** Where the interfaces are, for links that download. */
export const addresses = { data: origin + data, config: origin + config } as const;

export const client = new TelltaleClient({
  url: `${origin}/`,
  base: addresses.data,
  configBase: addresses.config,
  wsUrl: origin + channelPath,
});

/** A connection that says nothing for two of these is lost: all values are marked stale within 12 s, whatever happens. */
const heartbeatMs = 5000;

export const channel = client.channel({ heartbeatMs });

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
