// Watches of measurements by selector. As for names, changes are formatted once into a log of the running tick, and clients
// with the same selector share one message. A measurement that matches no longer is reported once more, as left.
import type { Clock, Selector } from '@telltale/schema';
import { type Changes, type Measurements, stepItems } from '../../points/index.ts';
import type { Slices } from '../../runtime/index.ts';
import type { SelectionIndex, Visible } from '../../selection/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { GroupLinks } from './group-links.ts';
import { MeasurementSelection } from './measurement-selection.ts';
import { PresentValues } from './present-values.ts';
import { SelectionWatches } from './selection-watches.ts';
import { gatherMs, mostLogBytes, UpdateLog } from './update-log.ts';

export interface MeasurementSelectionsOptions {
  readonly measurements: Measurements;
  readonly index: SelectionIndex;
  readonly visibleTo: (client: ChannelClient) => Visible | undefined;
  readonly clock: Clock;
  readonly slices: Slices;
}

export class MeasurementSelections extends SelectionWatches<MeasurementSelection> {
  readonly #measurements: Measurements;
  readonly #clock: Clock;
  /** By handle, the selections that it is a member of. */
  readonly #links = new GroupLinks<MeasurementSelection>();
  /** Those by quality alone: each measurement may match. */
  readonly #ofAll = new Set<MeasurementSelection>();
  readonly #pending = new Set<MeasurementSelection>();
  /** Those with clients that may have been passed over. */
  readonly #behind = new Set<MeasurementSelection>();
  readonly #log: UpdateLog;
  /** For messages of one client. */
  readonly #own: UpdateLog;
  /** Entries of the measurement that is being noted; -1 where there is none yet. */
  #changedAt = -1;
  #leftAt = -1;
  #cancelFlush: (() => void) | undefined;
  delivered = 0;
  skipped = 0;

  constructor({ measurements, clock, index, visibleTo, slices }: MeasurementSelectionsOptions) {
    super({ index, visibleTo, slices, onPut: (listener) => measurements.onPut(listener) });
    this.#measurements = measurements;
    this.#clock = clock;
    this.#log = new UpdateLog(measurements);
    this.#own = new UpdateLog(measurements);
    measurements.onDefine((handle) => this.#onDefine(handle));
    measurements.onChanges((changes) => this.#onChanges(changes));
    measurements.onRemoval((handle) => this.#onRemoval(handle));
  }

  watch(client: ChannelClient, selection: MeasurementSelection): Promise<void> | undefined {
    const present = new PresentValues(this.#measurements, 'names', selection.opening);
    const isWanted = () => client.isOpen && selection.wanted.has(client);
    const end = () => {
      selection.joining.delete(present);
      if (!isWanted()) return;
      this.flush();
      selection.clients.add(client);
      const message = present.message();
      this.delivered += present.count;
      if (message !== undefined) client.send(message);
    };
    selection.joining.add(present);
    const gathered = this.slices.run(present.gather(stillShown(selection)), isWanted);
    if (gathered instanceof Promise) return gathered.then(end);
    end();
    return undefined;
  }

  /** Hands everything on that was gathered. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    for (const selection of this.#pending) {
      if (selection.clients.size > 0) this.#send(selection);
      selection.pending.length = 0;
    }
    this.#pending.clear();
    this.#log.clear();
  }

  protected make(id: number, key: string, selector: Selector, visible: Visible | undefined): MeasurementSelection {
    const newest = this.#newest.bind(this);
    const selection = new MeasurementSelection({ id, key, selector, index: this.index, visible, newest });
    if (selection.isOfAll) this.#ofAll.add(selection);
    return selection;
  }

  protected *filled(selection: MeasurementSelection, selector: Selector): Generator<void, void> {
    const { isOfAll, members, matcher, shown } = selection;
    const found = yield* this.index.select(isOfAll ? selector : { ...selector, quality: undefined });
    let items = 0;
    for (const handle of found) {
      // By now it may be another one.
      if (isOfAll) {
        if (this.#isThere(handle) && selection.isOfQuality(this.#measurements.qualityOf(handle))) shown.add(handle);
      } else if (!members.has(handle) && matcher.matches(handle)) this.enter(selection, handle);
      if (++items % stepItems === 0) yield;
    }
  }

  protected enter(selection: MeasurementSelection, handle: number): void {
    selection.members.add(handle);
    this.#links.link(handle, selection);
    this.#begin();
    if (selection.isOfQuality(this.#measurements.qualityOf(handle))) this.#shows(selection, handle);
    this.#flushSoon();
  }

  protected leaveSelection(selection: MeasurementSelection, handle: number): void {
    this.#links.unlink(handle, selection);
    this.#begin();
    this.#hides(selection, handle);
    this.#flushSoon();
    selection.members.delete(handle);
  }

  protected ending(client: ChannelClient, selection: MeasurementSelection): void {
    this.flush();
    this.skipped += client.dropPassedOver(selection);
  }

  protected *dropping(selection: MeasurementSelection): Generator<void, void> {
    this.#ofAll.delete(selection);
    this.#behind.delete(selection);
    let items = 0;
    for (const handle of selection.members) {
      this.#links.unlink(handle, selection);
      if (++items % stepItems === 0) yield;
    }
  }

  /** Those who may not view it from now on are told so before it is another one, whether they keep up or not. */
  #onDefine(handle: number): void {
    for (const selection of [...this.#links.of(handle)]) {
      if (selection.sees(handle)) continue;
      this.flush();
      this.#links.unlink(handle, selection);
      selection.members.delete(handle);
      const wasShown = selection.shown.delete(handle) || selection.shown === selection.members;
      if (!wasShown) continue;
      for (const present of selection.joining) present.removed(handle);
      this.#own.clear();
      this.#own.noteLeft(handle);
      const message = this.#own.message(selection.opening, undefined);
      for (const client of selection.clients) client.sendRemoval(selection, handle, message);
    }
  }

  #onChanges({ handles, count }: Changes): void {
    if (this.selections.size === 0) return;
    for (let at = 0; at < count; at++) {
      const handle = handles[at] as number;
      const linked = this.#links.of(handle);
      if (linked.length === 0 && this.#ofAll.size === 0) continue;
      const status = this.#measurements.qualityOf(handle);
      this.#begin();
      for (const selection of linked) this.#note(selection, handle, status);
      for (const selection of this.#ofAll) this.#note(selection, handle, status);
      this.#flushSoon();
    }
  }

  #note(selection: MeasurementSelection, handle: number, status: number): void {
    if (selection.isOfQuality(status)) this.#shows(selection, handle);
    else this.#hides(selection, handle);
  }

  #onRemoval(handle: number): void {
    if (this.selections.size === 0) return;
    this.#begin();
    for (const selection of this.#links.of(handle)) this.#removed(selection, handle);
    for (const selection of this.#ofAll) this.#removed(selection, handle);
    this.#links.clear(handle);
    this.#flushSoon();
    for (const selection of this.#behind) this.#catchUpWithRemoval(selection, handle);
  }

  #removed(selection: MeasurementSelection, handle: number): void {
    const wasShown = selection.shown.delete(handle);
    selection.members.delete(handle);
    if (!wasShown) return;
    for (const present of selection.joining) present.removed(handle);
    if (this.#changedAt < 0) {
      this.#log.noteRemoval(handle);
      this.#changedAt = this.#log.size - 1;
    }
    this.#push(selection, this.#changedAt);
  }

  /** It left, of which a client that is behind has not been told. */
  #catchUpWithRemoval(selection: MeasurementSelection, handle: number): void {
    for (const client of selection.clients) {
      if (!client.isBehind(selection, handle)) continue;
      this.#own.clear();
      this.#own.noteRemoval(handle);
      client.sendRemoval(selection, handle, this.#own.message(selection.opening, undefined));
    }
  }

  /** The entries that follow are of one measurement, as it is now. */
  #begin(): void {
    this.#changedAt = -1;
    this.#leftAt = -1;
  }

  #shows(selection: MeasurementSelection, handle: number): void {
    selection.shown.add(handle);
    for (const present of selection.joining) present.entered(handle);
    if (selection.clients.size === 0) return;
    if (this.#changedAt < 0) {
      this.#log.note(handle);
      this.#changedAt = this.#log.size - 1;
    }
    this.#push(selection, this.#changedAt);
  }

  #hides(selection: MeasurementSelection, handle: number): void {
    if (!selection.shown.delete(handle)) return;
    for (const present of selection.joining) present.removed(handle);
    if (selection.clients.size === 0) return;
    if (this.#leftAt < 0) {
      this.#log.noteLeft(handle);
      this.#leftAt = this.#log.size - 1;
    }
    this.#push(selection, this.#leftAt);
  }

  #push(selection: MeasurementSelection, position: number): void {
    if (selection.pending.length === 0) this.#pending.add(selection);
    selection.pending.push(position);
  }

  #flushSoon(): void {
    if (this.#log.bytes > mostLogBytes) this.flush();
    else if (this.#log.size > 0) this.#cancelFlush ??= this.#clock.after(gatherMs, () => this.flush());
  }

  #send(selection: MeasurementSelection): void {
    const { opening, pending, clients } = selection;
    const message = this.#log.message(opening, pending);
    let areAllTold = true;
    for (const client of clients) {
      if (client.sendUpdates(message)) {
        this.delivered += pending.length;
        continue;
      }
      areAllTold = false;
      this.#log.passOver(client, selection, opening, pending);
    }
    if (areAllTold) this.#behind.delete(selection);
    else this.#behind.add(selection);
  }

  #newest(selection: MeasurementSelection, handles: readonly number[], skipped: number): Buffer | undefined {
    this.#own.clear();
    for (const handle of handles) {
      if (selection.shown.has(handle)) this.#own.note(handle);
      else if (this.#isThere(handle)) this.#own.noteLeft(handle);
    }
    if (this.#own.size === 0) return undefined;
    this.delivered += this.#own.size;
    this.skipped += skipped;
    return this.#own.message(selection.opening, undefined, skipped);
  }

  #isThere(handle: number): boolean {
    return this.#measurements.nameOf(handle) !== '';
  }
}

/** Those that are, when their turn comes. */
function* stillShown({ shown }: MeasurementSelection): Generator<number> {
  for (const handle of [...shown]) yield shown.has(handle) ? handle : -1;
}
