// What the links of connectors mean for the measurements that they bring: all turn bad when the link is lost, and their
// readings are held back while a watchdog reports that the device is not there. The watchdogs without an address are driven from here.
import { type Batch, type Clock, isBad, quality } from '@telltale/schema';
import type { ChainView } from './chain-view.ts';
import type { Handles } from './handles.ts';
import { HeldReadings } from './held-readings.ts';
import { isHealthy, type Link, type LinkRole, Links, type Silence } from './links.ts';
import type { MeasurementChain } from './measurement-chain.ts';
import { flag } from './measurement-layout.ts';
import type { Changes, MeasurementReader } from './measurement-reader.ts';
import type { MeasurementTable } from './measurement-table.ts';
import type { QualityCounts } from './quality-counts.ts';
import type { PointStatus } from './reading.ts';

export interface LinkedPointsOptions {
  readonly clock: Clock;
  readonly handles: Handles;
  readonly table: MeasurementTable;
  readonly chain: MeasurementChain;
  /** What is published: a watchdog that is simulated counts as such. */
  readonly published: MeasurementReader;
}

export class LinkedPoints {
  readonly #clock: Clock;
  readonly #handles: Handles;
  readonly #table: MeasurementTable;
  readonly #chain: MeasurementChain;
  readonly #published: MeasurementReader;
  readonly #links = new Links();
  /** Watchdogs that the device drives, by handle. */
  readonly #watchdogs = new Map<number, Link>();
  /** Links whose watchdog has changed and is to be checked. */
  readonly #unsettled = new Set<Link>();

  constructor({ clock, handles, table, chain, published }: LinkedPointsOptions) {
    this.#clock = clock;
    this.#handles = handles;
    this.#table = table;
    this.#chain = chain;
    this.#published = published;
  }

  /** A connector or provider is configured, or configured otherwise. */
  put(role: LinkRole, name: string, watchdog: string | undefined, isDisabled: boolean): void {
    this.#forgetWatchdog(this.#links.find(role, name), watchdog);
    const link = this.#links.define(role, name, watchdog, isDisabled, this.#clock.now());
    this.#assignWatchdog(link);
    this.#driveWatchdog(link);
    this.#unsettled.add(link);
    this.settle();
  }

  remove(role: LinkRole, name: string): void {
    this.#forgetWatchdog(this.#links.find(role, name), undefined);
    this.#links.remove(role, name);
    this.#chain.flush();
  }

  /** It came up or went down. */
  set(role: LinkRole, name: string, isUp: boolean, timeUs: number): void {
    const link = this.#links.find(role, name);
    if (link === undefined || link.isDisabled) return;
    const wasUp = link.isUp;
    link.isUp = isUp;
    link.sinceUs = timeUs;
    link.silent = undefined;
    if (!isUp && wasUp && role === 'connector') {
      link.held?.forgetAll();
      this.#markLost(link, timeUs, -1);
    }
    this.#driveWatchdog(link);
    this.settle();
  }

  /** It is taken out of service, or back into it: LI-9. What it said before counts no longer. */
  setDisabled(role: LinkRole, name: string, isDisabled: boolean, timeUs: number): void {
    const link = this.#links.find(role, name);
    if (link === undefined || link.isDisabled === isDisabled) return;
    link.isDisabled = isDisabled;
    link.isUp = isDisabled ? false : undefined;
    link.sinceUs = timeUs;
    link.silent = undefined;
    link.held?.forgetAll();
    if (role === 'connector') {
      const status = unreadQuality(link);
      for (const handle of this.#pointsOf(link)) this.#setStatus(handle, status, timeUs);
    }
    this.#driveWatchdog(link);
    this.settle();
  }

  /** Of a measurement before the first reading from where it lies. */
  unreadQualityOf(handle: number): number {
    return unreadQuality(this.#links.numbered(this.#table.connectorOf(handle)));
  }

  /** The thread of one that is up does not answer, or, of undefined, answers again: LI-8. */
  setSilent(role: LinkRole, name: string, silence: Silence | undefined, timeUs: number): void {
    const link = this.#links.find(role, name);
    if (link?.isUp !== true || (silence === undefined && link.silent === undefined)) return;
    const { silence: earlier, before } = link.silent ?? { before: new Map<number, PointStatus>() };
    // What was lost is lost until it is heard of, however short the next silence.
    link.silent = silence && { silence: earlier === 'lost' ? earlier : silence, before };
    if (silence === undefined) this.#restore(link, before);
    else if (role === 'connector') this.#markSilent(link, silence, before, timeUs);
    if (silence === 'lost' || earlier === 'lost') link.sinceUs = timeUs;
    this.#driveWatchdog(link);
    this.settle();
  }

  /** By which its points know a connector; 0: there is none. */
  connectorNumber(name: string | undefined): number {
    return name === undefined ? 0 : (this.#links.find('connector', name)?.number ?? 0);
  }

  refusalOf(connector: string): string | undefined {
    const link = this.#links.find('connector', connector);
    if (link?.held === undefined || link.isDisabled) return undefined;
    return `its watchdog ${link.watchdog} says that the device is not there`;
  }

  /** What the link of its connector means for a measurement. */
  viewOf(handle: number): Pick<ChainView, 'connector' | 'watchdog' | 'isLinked' | 'held' | 'reports'> {
    const link = this.#links.numbered(this.#table.connectorOf(handle));
    const reported = this.#watchdogs.has(handle) ? undefined : this.#links.watchedBy(this.#handles.nameOf(handle));
    const watchdog = link === undefined ? -1 : this.#watchdogOf(link);
    const isDriven = watchdog >= 0 && watchdog !== handle && this.#watchdogs.get(watchdog) === link;
    return {
      connector: link?.name,
      watchdog: isDriven ? { name: this.#handles.nameOf(watchdog), isHealthy: link?.held === undefined } : undefined,
      isLinked: (this.#table.flagsOf(handle) & flag.linked) !== 0,
      held: link?.held?.newestOf(handle),
      reports: reported === undefined ? undefined : { role: reported.role, name: reported.name },
    };
  }

  /** By the name of the connector, its measurements by quality. */
  countQualities(): Map<string, QualityCounts> {
    const named = new Map<string, QualityCounts>();
    const counts = this.#table.countQualities(this.#links.lastNumber);
    for (const { name, number } of this.#links.connectors()) {
      const [bad = 0, uncertain = 0, reserved = 0, good = 0] = counts.subarray(4 * number, 4 * number + 4);
      named.set(name, { good, uncertain, bad: bad + reserved });
    }
    return named;
  }

  /** Passes readings to the chain, or holds them back. */
  readings(connector: string, batch: Batch): void {
    const link = this.#links.find('connector', connector);
    if (link === undefined || link.isDisabled) {
      this.#chain.counts.foreign += batch.count;
      return;
    }
    if (link.silent !== undefined) {
      for (let at = 0; at < batch.count; at++) link.silent.before.delete(batch.points[at] as number);
    }
    const passing = link.held === undefined ? batch : link.held.hold(batch, link.number, this.#watchdogOf(link));
    this.#chain.apply(passing, link.number, this.#clock.now());
    this.settle();
  }

  /** The point is another one now, or none: what was held back of it counts no longer. Before the table changes. */
  forgetPoint(handle: number): void {
    const link = this.#links.numbered(this.#table.connectorOf(handle));
    link?.held?.forget(handle);
    link?.silent?.before.delete(handle);
  }

  /** A measurement was put: it may be a watchdog. */
  pointPut(handle: number, name: string): void {
    const link = this.#links.watchedBy(name);
    if (link === undefined) return;
    this.#watchdogs.delete(handle);
    this.#assignWatchdog(link);
    this.#driveWatchdog(link);
    this.#unsettled.add(link);
  }

  /** A measurement is gone; `settle` follows. */
  pointRemoved(handle: number): void {
    const link = this.#watchdogs.get(handle);
    if (link === undefined) return;
    this.#watchdogs.delete(handle);
    this.#unsettled.add(link);
  }

  noteChanges({ handles, count }: Changes): void {
    if (this.#watchdogs.size === 0) return;
    for (let at = 0; at < count; at++) {
      const link = this.#watchdogs.get(handles[at] as number);
      if (link !== undefined) this.#unsettled.add(link);
    }
  }

  /** Hands on what has changed, and checks the watchdogs that did, until none is left. */
  settle(): void {
    this.#chain.flush();
    for (const link of this.#unsettled) {
      this.#unsettled.delete(link);
      const watchdog = this.#watchdogOf(link);
      const isDriven = watchdog >= 0 && this.#watchdogs.get(watchdog) === link;
      const published = this.#published;
      const isGood = !isDriven || isHealthy(published.numberOf(watchdog), published.qualityOf(watchdog));
      if (isGood && link.held !== undefined) this.#releaseHeld(link, link.held);
      else if (!isGood && link.held === undefined && link.role === 'connector') {
        link.held = new HeldReadings(this.#table, this.#takeStatus(link, watchdog), this.#chain.counts);
        this.#markLost(link, published.timeOf(watchdog), watchdog);
      }
      this.#chain.flush();
    }
  }

  #watchdogOf({ watchdog }: Link): number {
    return watchdog === undefined ? -1 : this.#handles.find(watchdog);
  }

  #releaseHeld(link: Link, held: HeldReadings): void {
    link.held = undefined;
    for (const { handle, quality: before, timeUs } of held.unread()) {
      if (this.#table.qualityOf(handle) !== before || this.#table.timeOf(handle) !== timeUs) {
        this.#setStatus(handle, before, timeUs);
      }
    }
    this.#chain.apply(held.readings(), link.number, this.#clock.now());
  }

  /** The watchdog first: readings that were held back while it was bad are released before. */
  #restore(link: Link, before: ReadonlyMap<number, PointStatus>): void {
    const watchdog = this.#watchdogOf(link);
    const watching = before.get(watchdog);
    if (watching !== undefined) this.#setStatus(watchdog, watching.quality, watching.timeUs);
    this.settle();
    for (const [handle, point] of before) if (handle !== watchdog) this.#setStatus(handle, point.quality, point.timeUs);
  }

  /** Of all but the watchdog, as they were before nothing was heard of the connector; to be given back once. */
  #takeStatus(link: Link, watchdog: number): Map<number, PointStatus> {
    const taken = new Map<number, PointStatus>();
    for (const handle of this.#linkedTo(link, watchdog)) {
      taken.set(handle, link.silent?.before.get(handle) ?? this.#statusOf(handle));
      link.silent?.before.delete(handle);
    }
    return taken;
  }

  #statusOf(handle: number): PointStatus {
    return { quality: this.#table.qualityOf(handle), timeUs: this.#table.timeOf(handle) };
  }

  /** What is bad stays so while it is only late. What was read since the last time is marked as if for the first time. */
  #markSilent(link: Link, silence: Silence, before: Map<number, PointStatus>, timeUs: number): void {
    for (const handle of this.#linkedTo(link, -1)) {
      const status = this.#statusOf(handle);
      const isMarked = silence === 'late' ? isBad(status.quality) : status.quality === quality.bad.communicationFailure;
      if (isMarked || (before.has(handle) && silence === 'late')) continue;
      if (!before.has(handle)) before.set(handle, status);
      if (silence === 'late') this.#setStatus(handle, quality.uncertain.lastUsableValue, timeUs);
    }
    if (silence === 'lost') this.#markLost(link, timeUs, -1);
  }

  *#linkedTo(link: Link, except: number): Generator<number> {
    for (const handle of this.#pointsOf(link)) {
      if (handle !== except && (this.#table.flagsOf(handle) & flag.linked) !== 0) yield handle;
    }
  }

  *#pointsOf(link: Link): Generator<number> {
    for (const handle of this.#handles.all()) if (this.#table.connectorOf(handle) === link.number) yield handle;
  }

  /** Every measurement of the connector turns bad, in one batch; the values stay. Out of service is more than lost. */
  #markLost(link: Link, timeUs: number, except: number): void {
    if (link.isDisabled) return;
    for (const handle of this.#linkedTo(link, except)) {
      if (this.#table.qualityOf(handle) === quality.bad.communicationFailure) continue;
      this.#setStatus(handle, quality.bad.communicationFailure, timeUs);
    }
  }

  /** A watchdog with an address: the device drives it. */
  #assignWatchdog(link: Link): void {
    const handle = this.#watchdogOf(link);
    if (handle >= 0 && this.#table.connectorOf(handle) !== 0) this.#watchdogs.set(handle, link);
  }

  /** The link has another one from now on. One that the service drove turns bad, not connected: nothing drives it. */
  #forgetWatchdog(link: Link | undefined, next: string | undefined): void {
    if (link?.watchdog === undefined || this.#links.watchedBy(link.watchdog) !== link) return;
    const handle = this.#watchdogOf(link);
    if (handle < 0 || this.#watchdogs.delete(handle) || link.watchdog === next) return;
    this.#setStatus(handle, quality.bad.notConnected, this.#clock.now());
  }

  /** Where the watchdog measurement has no address, the service writes whether the link is up. */
  #driveWatchdog(link: Link): void {
    const handle = this.#watchdogOf(link);
    if (handle < 0 || this.#watchdogs.has(handle)) return;
    if (this.#links.watchedBy(this.#handles.nameOf(handle)) !== link) return;
    const value = Number((link.isUp ?? false) && link.silent?.silence !== 'lost');
    const status = link.isUp === undefined ? quality.bad.notConnected : quality.good;
    if (this.#table.numberOf(handle) === value && this.#table.qualityOf(handle) === status) return;
    this.#table.setValue(handle, value);
    this.#setStatus(handle, status, link.sinceUs);
  }

  /** Sets quality and time on behalf of the device. */
  #setStatus(handle: number, status: number, timeUs: number): void {
    this.#table.setQuality(handle, status);
    this.#table.setTime(handle, timeUs);
    if ((this.#table.flagsOf(handle) & flag.simulated) === 0) this.#chain.publish(handle);
  }
}

function unreadQuality(link: Link | undefined): number {
  return link?.isDisabled ? quality.bad.outOfService : quality.bad.notConnected;
}
