import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { NodeId } from 'node-opcua-client';
import type { ConditionEvent } from './condition-events.ts';
import { FollowedCondition } from './followed-condition.ts';

const conditionId = new NodeId();

function event(branch: string | undefined, more: Partial<ConditionEvent> = {}): ConditionEvent {
  return {
    kind: 'condition',
    conditionId,
    source: '',
    conditionName: '',
    eventId: Buffer.from(branch ?? 'trunk'),
    branch,
    isEnabled: true,
    isRetained: true,
    isActive: false,
    isAcknowledged: false,
    timeUs: 1,
    message: `message of ${branch ?? 'the condition'}`,
    user: '',
    ...more,
  };
}

const shown = ({ state }: FollowedCondition) =>
  state && `${state.isActive ? 'active' : 'inactive'} ${state.isAcknowledged ? 'acked' : 'unacked'}`;
const eventIds = (condition: FollowedCondition) => condition.eventIds.map(String);

describe('a condition with branches', () => {
  test('waits until it and each of them is acknowledged, by their own events', () => {
    const condition = new FollowedCondition();
    condition.take(event(undefined, { isActive: true }), 1);
    condition.take(event('a'), 2);
    condition.take(event('b'), 3);
    assert.deepEqual(eventIds(condition), ['trunk', 'a', 'b']);
    condition.take(event(undefined, { isActive: true, isAcknowledged: true }), 4);
    assert.equal(shown(condition), 'active unacked');
    condition.take(event('a', { isAcknowledged: true }), 5);
    assert.equal(shown(condition), 'active unacked');
    assert.ok(condition.take(event('b', { isRetained: false, user: 'olga' }), 6), 'what is not retained waits no more');
    assert.equal(shown(condition), 'active acked');
    assert.equal(condition.state?.authority, 'olga');
    assert.deepEqual(eventIds(condition), []);
  });

  test('is active by itself alone, and says what it says itself', () => {
    const condition = new FollowedCondition();
    condition.take(event(undefined, { isActive: false, isAcknowledged: true }), 1);
    condition.take(event('a', { isActive: true }), 2);
    assert.equal(shown(condition), 'inactive unacked');
    assert.equal(condition.state?.message, 'message of the condition');
  });

  test('is not shown by a branch before it is known itself', () => {
    const condition = new FollowedCondition();
    condition.beginRefresh();
    assert.equal(condition.take(event('a'), 1), false);
    assert.equal(shown(condition), undefined);
    assert.ok(condition.take(event(undefined, { isActive: true, isAcknowledged: true }), 2));
    assert.equal(shown(condition), 'active unacked');
    const other = new FollowedCondition();
    other.beginRefresh();
    other.take(event('a'), 1);
    assert.ok(other.endRefresh(2), 'it was not reported: it needs no attention, its branch does');
    assert.equal(shown(other), 'inactive unacked');
  });

  test('that is disabled waits for nothing', () => {
    const condition = new FollowedCondition();
    condition.take(event(undefined, { isActive: true }), 1);
    condition.take(event('a'), 2);
    condition.take(event(undefined, { isActive: true, isEnabled: false }), 3);
    assert.equal(shown(condition), 'inactive acked');
  });

  test('of which there are more than can be known is not acknowledged before a refresh has shown them all', () => {
    const condition = new FollowedCondition();
    const names = Array.from({ length: 20 }, (_, at) => `b${at}`);
    condition.take(event(undefined, { isActive: true, isAcknowledged: true }), 1);
    for (const name of names) condition.take(event(name), 2);
    assert.equal(eventIds(condition).length, 16);
    for (const name of names.slice(0, 16)) condition.take(event(name, { isAcknowledged: true }), 3);
    assert.equal(shown(condition), 'active unacked');
    assert.ok(condition.isRefreshNeeded);
    condition.beginRefresh();
    condition.take(event(undefined, { isActive: true, isAcknowledged: true }), 4);
    assert.equal(shown(condition), 'active unacked', 'others may follow');
    for (const name of names.slice(16)) condition.take(event(name), 5);
    condition.endRefresh(6);
    assert.deepEqual(eventIds(condition), names.slice(16));
    for (const name of names.slice(16)) condition.take(event(name, { isAcknowledged: true }), 7);
    assert.equal(shown(condition), 'active acked');
    assert.equal(condition.isRefreshNeeded, false);
  });
});

test('whatever is reported in whatever order, an alarm is acknowledged exactly when nothing waits, and active as the condition is', () => {
  const branches = fc.constantFrom(undefined, 'a', 'b', 'c');
  const step = fc.record({ branch: branches, isActive: fc.boolean(), isAcknowledged: fc.boolean() });
  const property = fc.property(fc.array(step), (steps) => {
    const condition = new FollowedCondition();
    const waiting = new Set<string>();
    let isActive: boolean | undefined;
    for (const { branch, ...state } of steps) {
      condition.take(event(branch, state), 1);
      if (branch === undefined) isActive = state.isActive;
      if (state.isAcknowledged) waiting.delete(branch ?? 'trunk');
      else waiting.add(branch ?? 'trunk');
      assert.deepEqual(new Set(eventIds(condition)), waiting);
      const wanted = `${isActive ? 'active' : 'inactive'} ${waiting.size === 0 ? 'acked' : 'unacked'}`;
      assert.equal(shown(condition), isActive === undefined ? undefined : wanted);
    }
  });
  fc.assert(property);
});
