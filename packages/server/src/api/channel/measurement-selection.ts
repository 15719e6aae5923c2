// One selector of measurements that clients watch: what it selects now, and what is gathered for them in the running tick.
import { hasCriteria, type QualityWord, type Selector } from '@telltale/schema';
import { isOfQuality, type Matcher, type SelectionIndex, type Visible } from '../../selection/index.ts';
import type { UpdateSource } from './channel-client.ts';
import { Growing } from './growing.ts';
import type { PresentValues } from './present-values.ts';
import { Selection } from './selection-watches.ts';
import { openingOf } from './update-log.ts';

const nothing: Matcher = { matches: () => false, followsQuality: false };

export interface MeasurementSelectionOptions {
  readonly id: number;
  readonly key: string;
  readonly selector: Selector;
  readonly index: SelectionIndex;
  readonly visible: Visible | undefined;
  /** What a client is told that was passed over. */
  readonly newest: (selection: MeasurementSelection, handles: readonly number[], skipped: number) => Buffer | undefined;
}

export class MeasurementSelection extends Selection implements UpdateSource {
  /** Whether it selects by quality alone, of all there are: then it has no members, and every measurement may match. */
  readonly isOfAll: boolean;
  /** Those that match, and of which clients are told: by quality, not all members. */
  readonly shown: Set<number>;
  /** Positions in the log, of the running tick. */
  readonly pending = new Growing();
  /** The present values that clients whose watch is starting are going to be sent first. */
  readonly joining = new Set<PresentValues>();
  readonly opening: Buffer;
  readonly alone: readonly MeasurementSelection[] = [this];
  readonly #qualities: ReadonlySet<QualityWord> | undefined;
  readonly #newest: MeasurementSelectionOptions['newest'];

  constructor({ id, key, selector, index, visible, newest }: MeasurementSelectionOptions) {
    const { quality, ...configured } = selector;
    const isOfAll =
      visible === undefined && quality !== undefined && configured.names === undefined && !hasCriteria(configured);
    super(id, key, isOfAll ? nothing : index.matcher(configured), visible);
    this.isOfAll = isOfAll;
    this.#qualities = quality && new Set(quality);
    this.shown = quality === undefined ? this.members : new Set();
    this.opening = openingOf(id);
    this.#newest = newest;
  }

  /** Of a member, or of any measurement where it selects by quality alone. */
  isOfQuality(status: number): boolean {
    return this.#qualities === undefined || isOfQuality(status, this.#qualities);
  }

  newest(handles: readonly number[], skipped: number): Buffer | undefined {
    return this.#newest(this, handles, skipped);
  }
}
