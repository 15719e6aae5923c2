// Where the page is: path and query are the whole state of a view, so that every view is a link that can be sent. All addresses
// here are below the base of the page. Which view a path has is left to routes.ts.
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { siteBaseOf } from '@telltale/schema/values';
import { AddressWriter } from './address-writer.ts';
import { base } from './base.ts';

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

interface HistoryState {
  /** The address of the view under a drawer. */
  readonly under?: string;
}

const present = signal<Place>({ path: '/', query: new URLSearchParams() });
const state = signal<HistoryState>({});
const writer = new AddressWriter(() => history.replaceState(state.peek(), '', base + here()));

export const place: ReadonlySignal<Place> = present;

/** What a drawer is opened over; undefined where a link led right to it. */
export const under: ReadonlySignal<string | undefined> = computed(() => state.value.under);

/** The place of the view itself, also while a drawer is over it. */
export const viewPlace: ReadonlySignal<Place> = computed(() => {
  const address = under.value;
  return address === undefined ? place.value : placeOf(new URL(address, globalThis.location.origin));
});

/** `at`, the moment shown, goes with every link that does not name another one. */
const kept = ['at'] as const;

export interface GoOptions {
  /** In the place of the present entry of the browser's history. */
  readonly replace?: boolean;
  /** Keeps the present view under the one that is opened. */
  readonly over?: boolean;
}

export function startRouter(): void {
  // With two slashes at its beginning, a path is the name of a server to whoever reads it again.
  const { pathname, search } = globalThis.location;
  if (pathname.startsWith('//')) history.replaceState(history.state, '', pathname.replace(/^\/+/, '/') + search);
  read();
  addEventListener('popstate', read);
  addEventListener('pagehide', () => writer.writeNow());
  addEventListener('click', follow);
}

/** Leads to an address of the page, such as `/trends?pen=tank1_level`. */
export function go(address: string, { replace = false, over = false }: GoOptions = {}): void {
  const url = withKept(address);
  const next: HistoryState = over ? { under: under.value ?? here() } : {};
  if (replace) replaceEntry(url, next);
  else pushEntry(url, next);
  if (!over) scrollTo(0, 0);
}

/** A link has led right to a drawer: from now on it is over this view, which has an address of its own. */
export function putUnder(address: string): void {
  replaceEntry(here(), { under: address });
}

/** Leaves a drawer: back to the view that it is over. */
export function leaveDrawer(otherwise: string): void {
  go(under.value ?? otherwise);
}

/** Sets and removes parts of the query; the entry of the history stays, unless `push`. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>, { push = false } = {}): void {
  const address = hereWith(changes);
  if (push) pushEntry(address, state.peek());
  else replaceEntry(address, state.peek());
}

/** As `setQuery`, of the view itself: below a drawer, which stays. */
export function setViewQuery(changes: Readonly<Record<string, string | undefined>>): void {
  if (under.value === undefined) {
    setQuery(changes);
    return;
  }
  replaceEntry(here(), { under: changed(under.value, changes) });
}

/** One part of the query, as a signal. */
export function queryOf(name: string): ReadonlySignal<string> {
  return computed(() => place.value.query.get(name) ?? '');
}

/** One part of the query of the view itself, which stays below a drawer. */
export function viewQueryOf(name: string): ReadonlySignal<string> {
  return computed(() => viewPlace.value.query.get(name) ?? '');
}

/** The address of the page, which the browser's own may follow a little later. */
export function here(): string {
  const { path, query } = place.value;
  const search = readable(query.toString());
  return search === '' ? path : `${path}?${search}`;
}

/** The present address with other parts of the query: to be linked to. */
export function hereWith(changes: Readonly<Record<string, string | undefined>>): string {
  return changed(here(), changes);
}

function withKept(address: string): string {
  const url = new URL(address, globalThis.location.origin);
  for (const name of kept) {
    const value = place.value.query.get(name);
    if (value !== null && !url.searchParams.has(name)) url.searchParams.set(name, value);
    if (url.searchParams.get(name) === '') url.searchParams.delete(name);
  }
  return url.pathname + readable(url.search);
}

function changed(address: string, changes: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(address, globalThis.location.origin);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + readable(url.search);
}

/** Commas and colons need no escape in a query, and people read these links. */
function readable(search: string): string {
  return search.replaceAll('%2C', ',').replaceAll('%3A', ':');
}

function read(): void {
  writer.forget();
  const { pathname, search } = globalThis.location;
  show(pathname.slice(base.length) + search, (history.state as HistoryState | null) ?? {});
}

function show(address: string, next: HistoryState): void {
  batch(() => {
    present.value = placeOf(new URL(address || '/', globalThis.location.origin));
    state.value = next;
  });
}

function pushEntry(address: string, next: HistoryState): void {
  writer.writeNow();
  show(address, next);
  history.pushState(next, '', base + address);
}

/** The page shows it at once; keys and drags change it faster than browsers take new addresses. */
function replaceEntry(address: string, next: HistoryState): void {
  show(address, next);
  writer.writeSoon();
}

function placeOf({ pathname, search }: { readonly pathname: string; readonly search: string }): Place {
  return { path: pathname.replace(/(?<=.)\/+$/, ''), query: new URLSearchParams(search) };
}

/** Links inside the page stay in it; others, and those of people who want another tab, are the browser's. */
function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.('a[href]');
  if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.origin !== globalThis.location.origin || link.target !== '' || link.hasAttribute('download')) return;
  if (link.pathname.startsWith('/docs') || siteBaseOf(link.pathname) !== base) return;
  event.preventDefault();
  go((link.pathname.slice(base.length) || '/') + link.search, { over: link.dataset.over !== undefined });
}
