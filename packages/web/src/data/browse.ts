// What the device of a connector has to offer, level by level, and how that is taken over into the configuration: once checked
// as a whole, then put as a whole.
import type {
  AlarmOffer,
  BrowsedItem,
  BrowsedItems,
  CommandOffer,
  MeasurementOffer,
  Operation,
} from '@telltale/schema';
import { freeName, isIdentifier } from '@telltale/schema/values';
import { readOverview } from './overview.ts';
import { client, TelltaleProblem } from './service.ts';

export type { BrowsedItem };

export const offeredFamilies = ['measurements', 'commands', 'alarms'] as const;
export type OfferedFamily = (typeof offeredFamilies)[number];

/** What can be taken over of an item of the device. */
export interface Offer {
  readonly family: OfferedFamily;
  readonly object: NonNullable<(MeasurementOffer | CommandOffer | AlarmOffer)['object']>;
}

const pageItems = 100;
const walkItems = 1000;
/** In one step people look at no more. */
export const mostOffers = 1000;
/** A device may have any number of items, and lead in circles. */
const mostWalked = 20_000;
const mostDepth = 20;

export function browseLevel(
  connector: string,
  { path, cursor, signal }: { readonly path?: string; readonly cursor?: string; readonly signal: AbortSignal },
): Promise<BrowsedItems> {
  const request = { limit: pageItems, ...(path !== undefined && { path }), ...(cursor !== undefined && { cursor }) };
  return client.connectors.browse(connector, request, { signal });
}

/** Each with its family, also those that are configured already, or are refused. */
export function offersOf({ measurement, command, alarm }: BrowsedItem) {
  const offers = { measurements: measurement, commands: command, alarms: alarm };
  return offeredFamilies.flatMap((family) => {
    const offer = offers[family];
    return offer === null || offer === undefined ? [] : [{ family, ...offer }];
  });
}

export function takeable(item: BrowsedItem): Offer[] {
  return offersOf(item).flatMap(({ family, object }) => (object === null ? [] : [{ family, object }]));
}

export interface Walked {
  readonly offers: readonly Offer[];
  /** There is more than what people take over in one step. */
  readonly isCut: boolean;
  /** Parts that the device does not show. */
  readonly closed: number;
}

/** All that the items and everything below them offer, each address once. */
export async function gatherOffers(
  connector: string,
  items: readonly BrowsedItem[],
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (found: number) => void },
): Promise<Walked> {
  const offers = new Map<string, Offer>();
  let [walked, closed, isCut] = [0, 0, false];
  const take = async (item: BrowsedItem, depth: number): Promise<void> => {
    if (offers.size >= mostOffers || ++walked > mostWalked) {
      isCut = true;
      return;
    }
    for (const offer of takeable(item)) {
      if (offers.size < mostOffers) offers.set(`${offer.family} ${offer.object.address}`, offer);
      else isCut = true;
    }
    if (item.path === null) return;
    if (depth >= mostDepth) isCut = true;
    else await walk(item.path, depth + 1);
  };
  const walk = async (path: string, depth: number): Promise<void> => {
    let cursor: string | null = null;
    do {
      const request = { path, limit: walkItems, ...(cursor !== null && { cursor }) };
      let page: BrowsedItems;
      try {
        page = await client.connectors.browse(connector, request, { signal });
      } catch (error) {
        if (!(error instanceof TelltaleProblem) || error.problem !== 'device-refused') throw error;
        closed++;
        return;
      }
      onProgress(offers.size);
      cursor = page.cursor;
      for (const item of page.items) {
        await take(item, depth);
        if (isCut) return;
      }
    } while (cursor !== null);
  };
  for (const item of items) await take(item, 0);
  return { offers: [...offers.values()], isCut, closed };
}

/** One object that is to be taken over, under the name and in the area that a person wants. */
export interface Wanted extends Offer {
  readonly name: string;
  /** Without one, as the device has it. */
  readonly area?: string;
}

/** What is wrong with each of them, by its place; empty where all may come in. */
export type Faults = ReadonlyMap<number, string>;

/** Proposed names are unique within an answer of the service: of several answers, some get numbers. */
export function withFreeNames(offers: readonly Offer[]): Wanted[] {
  const used = new Set<string>();
  return offers.map((offer) => {
    const name = freeName(offer.object.name, (each) => used.has(`${offer.family} ${each}`));
    used.add(`${offer.family} ${name}`);
    return { ...offer, name };
  });
}

export interface FaultWords {
  readonly noName: string;
  readonly twice: string;
  readonly exists: string;
}

/** Checks them, and changes nothing. What is there already must not be replaced by what was only browsed. */
export async function checkWanted(wanted: readonly Wanted[], says: FaultWords): Promise<Faults> {
  const faults = new Map<number, string>();
  const seen = new Set<string>();
  const families = new Set(wanted.map(({ family }) => family));
  const names = new Map(
    await Promise.all(
      [...families].map(async (family) => [family, new Set(await client.configuration.names(family))] as const),
    ),
  );
  wanted.forEach(({ family, name }, at) => {
    const key = `${family} ${name}`;
    if (!isIdentifier(name)) faults.set(at, says.noName);
    else if (seen.has(key)) faults.set(at, says.twice);
    else if (names.get(family)?.has(name) === true) faults.set(at, says.exists);
    seen.add(key);
  });
  if (faults.size > 0) return faults;
  try {
    await client.configuration.transaction(operationsOf(wanted), { commit: false });
  } catch (error) {
    if (!(error instanceof TelltaleProblem) || error.errors.length === 0) throw error;
    for (const { path, message } of error.errors) {
      const [, at = ''] = /^\/operations\/(\d+)/.exec(path) ?? [];
      if (at === '') throw error;
      faults.set(Number(at), message);
    }
  }
  return faults;
}

/** One transaction: all or none. They run after the next rendering. */
export async function takeOver(wanted: readonly Wanted[]): Promise<void> {
  await client.configuration.transaction(operationsOf(wanted));
  void readOverview();
}

/** Runs the configuration as it is in the database. */
export async function renderConfiguration(comment: string): Promise<void> {
  await client.configuration.render({ comment });
  void readOverview();
}

function operationsOf(wanted: readonly Wanted[]): Operation[] {
  return wanted.map(({ family, name, object, area }) => {
    const own = { ...object, name, ...(area !== undefined && { area }) };
    return { operation: 'put', family, name, object: own } as Operation;
  });
}
