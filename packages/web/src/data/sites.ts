// The sites of a centre; and the one whose page this is, as its centre has it.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { CentreSite } from '@telltale/schema';
import { base } from '../base.ts';
import { moment } from './moment.ts';
import { poll } from './polled.ts';
import { home, link, TelltaleProblem } from './service.ts';

export type { CentreSite };

const everyMs = 2000;
const awayMs = 5000;

/** In the address: its id, or its name. */
const wanted = decodedPart(base.slice('/sites/'.length));

interface Heard {
  readonly site: CentreSite | undefined;
  /** Why the centre says nothing of it. */
  readonly error: unknown;
}

const heard = signal<Heard>({ site: undefined, error: undefined });

/** Undefined of a server itself, and until the centre has said it. */
export const site: ReadonlySignal<CentreSite | undefined> = computed(() => heard.value.site);

/** The centre knows none of this name. */
export const siteRefusal: ReadonlySignal<TelltaleProblem | undefined> = computed(() => {
  const { error } = heard.value;
  return error instanceof TelltaleProblem && error.status === 404 ? error : undefined;
});

/** '' of a server itself. */
export const siteName: ReadonlySignal<string> = computed(() => site.value?.name ?? wanted);

/** Its centre has lost it: what is shown of now is what the centre has had last. */
export const isAway: ReadonlySignal<boolean> = computed(
  () => heard.value.error === undefined && site.value?.state === 'down' && link.value.state !== 'connected',
);

export function startSite(): void {
  if (base === '') return;
  poll(async () => {
    try {
      heard.value = { site: await home.sites.get(wanted), error: undefined };
    } catch (error) {
      heard.value = { site: heard.peek().site, error };
    }
  }, everyMs);
}

/** While the site is away and the present is shown, what the centre has of it is read from time to time; nothing is pushed. */
export function whileAway(read: () => Promise<void>): void {
  let stop: (() => void) | undefined;
  const isWanted = computed(() => isAway.value && moment.value === undefined);
  isWanted.subscribe((isSo) => {
    stop?.();
    stop = isSo ? poll(() => read().catch(() => undefined), awayMs) : undefined;
  });
}

export async function readSites(signal: AbortSignal): Promise<CentreSite[]> {
  return Object.values(await home.sites.list({ signal }));
}

/** By id, as the page of people has read them; in order of the names. */
export const siteNames = signal<ReadonlyMap<string, string>>(new Map());

/** A server that is no centre has none. */
export async function learnSiteNames(signal: AbortSignal): Promise<void> {
  const sites = await readSites(signal);
  siteNames.value = new Map(
    sites.sort((a, b) => a.name.localeCompare(b.name)).map(({ id, name }) => [id, name] as const),
  );
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
