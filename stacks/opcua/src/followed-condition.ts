// One condition that alarms follow, as its server has reported it: itself and those of its earlier states that still wait to
// be acknowledged. Pure.
import type { DeviceAlarm, DeviceAlarmState } from '@telltale/stack-kit';
import type { NodeId } from 'node-opcua-client';
import type { ConditionEvent } from './condition-events.ts';

type State = Omit<DeviceAlarmState, 'id'>;

/** Of one condition; a server that has more makes no sense. */
const maxBranches = 16;

export class FollowedCondition {
  alarms: readonly DeviceAlarm[] = [];
  /** Undefined while nothing is known of it. */
  state: State | undefined;
  /** By which it is acknowledged; undefined before it was reported. */
  conditionId: NodeId | undefined;
  /** What waits to be acknowledged, by branch; '' is the condition itself. */
  readonly #unacknowledged = new Map<string, Buffer>();
  readonly #seen = new Set<string>();

  /** The events to acknowledge. */
  get eventIds(): Buffer[] {
    return [...this.#unacknowledged.values()];
  }

  beginRefresh(): void {
    this.#seen.clear();
  }

  /** What was not reported needs no attention: it is inactive, and acknowledged. Whether the state is another one now. */
  endRefresh(timeUs: number): boolean {
    for (const branch of [...this.#unacknowledged.keys()]) {
      if (!this.#seen.has(branch)) this.#unacknowledged.delete(branch);
    }
    const isActive = this.#seen.has('') && this.state?.isActive === true;
    return this.#change({ isActive, isAcknowledged: this.#unacknowledged.size === 0, timeUs });
  }

  /** Whether the state is another one now. */
  take(event: ConditionEvent, timeUs: number): boolean {
    const { branch = '', isEnabled, isRetained, isAcknowledged, eventId, user, message } = event;
    this.conditionId = event.conditionId;
    this.#seen.add(branch);
    const isOpen = isEnabled && !isAcknowledged && (branch === '' || isRetained);
    if (!isOpen) this.#unacknowledged.delete(branch);
    else if (this.#unacknowledged.has(branch) || this.#unacknowledged.size < maxBranches) {
      this.#unacknowledged.set(branch, eventId);
    }
    const isActive = branch === '' ? isEnabled && event.isActive : this.state?.isActive === true;
    const isAcked = this.#unacknowledged.size === 0;
    // Who comments or acknowledges is told of every event after it: only of the first is it news.
    const isNews = isAcked && this.state?.isAcknowledged === false && isActive === this.state.isActive;
    return this.#change({
      isActive,
      isAcknowledged: isAcked,
      timeUs,
      ...(message !== '' && { message }),
      ...(isNews && user !== '' && { authority: user }),
    });
  }

  #change(state: State): boolean {
    const { isActive, isAcknowledged } = this.state ?? {};
    if (isActive === state.isActive && isAcknowledged === state.isAcknowledged) return false;
    this.state = state;
    return true;
  }
}
