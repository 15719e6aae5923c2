// The connection to the bus, as the settings want it. Nothing of the bus is loaded before.
import { type BusState, type Clock, toTimestamp } from '@telltale/schema';
import type { Logger } from 'pino';
import type { BusConnection } from '../bus/index.ts';

export interface BusSettings {
  /** Without a password. */
  readonly address: string;
  readonly files: {
    readonly authority: string | undefined;
    readonly certificate: string | undefined;
    readonly key: string | undefined;
    readonly credentials: string | undefined;
  };
  readonly clock: Clock;
  readonly log: Logger;
}

/** The message is for the person who starts the server. */
export class UnusableBus extends Error {
  override readonly name = 'UnusableBus';
}

export interface OpenedBus {
  readonly library: typeof import('../bus/index.ts');
  readonly connection: BusConnection;
  /** For people. */
  readonly shown: string;
}

/** Before anybody knows who connects. Rejects with `UnusableBus`. */
export async function checkBus({ address }: Pick<BusSettings, 'address'>): Promise<void> {
  const { BadBusAddress, parseBusAddress } = await import('../bus/index.ts');
  try {
    parseBusAddress(address);
  } catch (error) {
    throw asUnusable(error, BadBusAddress);
  }
}

/** Not started yet. `who`: a site, or a centre, which answers come to. Rejects with `UnusableBus`. */
export async function openBus({ address, files, clock, log }: BusSettings, who: string): Promise<OpenedBus> {
  const library = await import('../bus/index.ts');
  const { BadBusAddress, BusConnection, busAddressText, inboxOf, parseBusAddress } = library;
  try {
    const parsed = parseBusAddress(address);
    const connection = new BusConnection({
      address: parsed,
      files,
      name: `telltale ${who}`,
      inbox: inboxOf(who),
      clock,
      onFault: (err) => log.error({ err }, 'what came over the bus was lost'),
    });
    return { library, connection, shown: busAddressText(parsed) };
  } catch (error) {
    throw asUnusable(error, BadBusAddress);
  }
}

function asUnusable(error: unknown, kind: typeof import('../bus/index.ts').BadBusAddress): unknown {
  return error instanceof kind ? new UnusableBus(`--bus is not usable: ${error.message}`) : error;
}

/** Says in the log what becomes of the connection. */
export function logBus(connection: BusConnection, log: Logger): void {
  /** Since it was up, or down. */
  const said = new Set<string>();
  let wasUp = false;
  connection.observe(({ isUp, text, refused = '' }) => {
    if (isUp !== wasUp) said.clear();
    wasUp = isUp;
    if (!said.has(text)) log[isUp ? 'info' : 'warn'](`the bus: ${text}`);
    if (refused !== '' && !said.has(refused)) log.error(`the bus refuses something: ${refused}`);
    said.add(text).add(refused);
  });
}

export function busStateOf({ connection, shown: address }: OpenedBus, role: BusState['role']): BusState {
  const { isUp, text, refused = '', sinceUs } = connection.state;
  const error = (isUp ? refused : text) || null;
  return { address, role, state: isUp ? 'up' : 'down', since: toTimestamp(sinceUs), error };
}
