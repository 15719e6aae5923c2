// One condition that alarms follow, as its server has reported it: itself and those of its earlier states that still wait to
// be acknowledged. Pure.
import type { DeviceAlarm, DeviceAlarmState } from '@telltale/stack-kit';
import type { NodeId } from 'node-opcua-client';
import type { ConditionEvent } from './condition-events.ts';

type State = Omit<DeviceAlarmState, 'id'>;

/** Of one condition, that are known at a time. */
const maxBranches = 16;
/** The condition itself, beside its branches. */
const trunk = '';

export class FollowedCondition {
  alarms: readonly DeviceAlarm[] = [];
  /** Undefined while nothing is known of it. */
  state: State | undefined;
  /** By which it is acknowledged; undefined before it was reported. */
  conditionId: NodeId | undefined;
  /** What waits to be acknowledged, by branch. */
  readonly #unacknowledged = new Map<string, Buffer>();
  /** Of these and the trunk, what was reported since the last refresh began. */
  readonly #seen = new Set<string>();
  /** More wait than are known; and they did before the refresh that is under way. */
  #isMore = false;
  #wasMore = false;

  /** The events to acknowledge. */
  get eventIds(): Buffer[] {
    return [...this.#unacknowledged.values()];
  }

  /** What was known is acknowledged, and more waits: only a refresh tells what. */
  get isRefreshNeeded(): boolean {
    return this.#isMore && this.#unacknowledged.size === 0;
  }

  beginRefresh(): void {
    this.#seen.clear();
    this.#wasMore ||= this.#isMore;
    this.#isMore = false;
  }

  /** What was not reported needs no attention: it is inactive, and acknowledged. Whether the state is another one now. */
  endRefresh(timeUs: number): boolean {
    for (const branch of [...this.#unacknowledged.keys()]) {
      if (!this.#seen.has(branch)) this.#unacknowledged.delete(branch);
    }
    this.#wasMore = false;
    const isActive = this.#seen.has(trunk) && this.state?.isActive === true;
    return this.#change({ isActive, isAcknowledged: this.#isAcknowledged, timeUs });
  }

  /** Whether the state is another one now. Branches are earlier states: they say nothing of activity, nor of what is now. */
  take(event: ConditionEvent, timeUs: number): boolean {
    const { branch = trunk, isEnabled, user } = event;
    const isTrunk = branch === trunk;
    this.conditionId = event.conditionId;
    this.#note(branch, event);
    if (!isTrunk && this.state === undefined) return false;
    const isActive = isTrunk ? isEnabled && event.isActive : this.state?.isActive === true;
    const message = isTrunk ? event.message : (this.state?.message ?? '');
    const isAcknowledged = this.#isAcknowledged;
    // Who comments or acknowledges is told of every event after it: only of the first is it news.
    const isNews = isAcknowledged && this.state?.isAcknowledged === false && isActive === this.state.isActive;
    return this.#change({
      isActive,
      isAcknowledged,
      timeUs,
      ...(message !== '' && { message }),
      ...(isNews && user !== '' && { authority: user }),
    });
  }

  get #isAcknowledged(): boolean {
    return this.#unacknowledged.size === 0 && !this.#isMore && !this.#wasMore;
  }

  #note(branch: string, { isEnabled, isAcknowledged, isRetained, eventId }: ConditionEvent): void {
    const isTrunk = branch === trunk;
    if (isTrunk && !isEnabled) {
      this.#unacknowledged.clear();
      this.#isMore = false;
      this.#wasMore = false;
    }
    const isOpen = isEnabled && !isAcknowledged && (isTrunk || isRetained);
    if (!isOpen) this.#unacknowledged.delete(branch);
    else if (isTrunk || this.#unacknowledged.has(branch) || this.#unacknowledged.size < maxBranches) {
      this.#unacknowledged.set(branch, eventId);
    } else this.#isMore = true;
    if (isTrunk || this.#unacknowledged.has(branch)) this.#seen.add(branch);
    else this.#seen.delete(branch);
  }

  #change(state: State): boolean {
    const { isActive, isAcknowledged } = this.state ?? {};
    if (isActive === state.isActive && isAcknowledged === state.isAcknowledged) return false;
    this.state = state;
    return true;
  }
}
