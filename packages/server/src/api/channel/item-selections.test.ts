// Promises of watches of commands and alarms by selector: who applies what is reported has, at every moment, what a plain
// filter over all of them gives; and every change of what matches is reported.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Selector } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import {
  alarmSelector,
  type Configured,
  commandSelector,
  isMeant,
  itemStep,
  newAlarms,
  newCommands,
  takeItem,
} from '../../../test/random-points.ts';
import { Slices } from '../../runtime/index.ts';
import { SelectionIndex, selectableAlarms, selectablePoints } from '../../selection/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { ItemSelections } from './item-selections.ts';

interface Update {
  readonly name: string;
  readonly removed?: true;
  readonly left?: true;
}

class Watcher {
  readonly views = new Map<number, Set<string>>();
  readonly isOpen = true;
  updates = 0;

  get client(): ChannelClient {
    return this as unknown as ChannelClient;
  }

  send(message: string | readonly Buffer[]): void {
    const text = typeof message === 'string' ? message : Buffer.concat(message).toString();
    const { selection, updates } = JSON.parse(text) as { selection: number; updates: Update[] };
    const view = this.views.get(selection) ?? new Set<string>();
    this.views.set(selection, view);
    for (const { name, removed, left } of updates) {
      this.updates++;
      if (removed || left) view.delete(name);
      else view.add(name);
    }
  }
}

type Items = ReturnType<typeof newCommands> | ReturnType<typeof newAlarms>;

function newWorld(items: Items) {
  const slices = new Slices();
  const clock = new ManualClock();
  const isAlarms = 'operate' in items;
  const selections = new ItemSelections({
    notification: 'ItemNotification',
    list: 'updates',
    index: new SelectionIndex(isAlarms ? selectableAlarms(items) : selectablePoints(items)),
    clock,
    slices,
    visibleTo: () => undefined,
    onPut: (listener) => items.onPut(listener),
    text: (handle) => JSON.stringify({ name: items.definitionAt(handle)?.name }),
  });
  items.onChange((handle: number, isRemoved = false) => selections.changed(handle, isRemoved));
  if (!isAlarms) items.onRemoval((handle) => selections.changed(handle, true));
  const watch = async (watcher: Watcher, wanted: Selector) => {
    const selection = await selections.want(watcher.client, wanted);
    await selections.watch(watcher.client, selection);
    return selection.id;
  };
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) await slices.next();
    clock.advance(20);
  };
  return { selections, clock, watch, settle };
}

const kinds = [
  ['commands', newCommands, commandSelector],
  ['alarms', newAlarms, alarmSelector],
] as const;

describe('a watch by selector', () => {
  for (const [kind, begin, selector] of kinds) {
    test(`of ${kind} tells what a filter gives, as they come, change and go`, async () => {
      const event = fc.oneof(
        { weight: 10, arbitrary: itemStep },
        { weight: 2, arbitrary: fc.record({ watch: selector }) },
        fc.constant({ settle: true as const }),
      );
      const events = fc.array(event, { maxLength: 60, size: 'max' });
      await fc.assert(
        fc.asyncProperty(events, fc.array(selector, { minLength: 1 }), async (steps, first) => {
          const items = begin();
          const { selections, clock, watch, settle } = newWorld(items);
          const watcher = new Watcher();
          const watched = new Map<number, Selector>();
          const start = async (wanted: Selector) => void watched.set(await watch(watcher, wanted), wanted);
          for (const wanted of first) await start(wanted);
          for (const each of steps) {
            if ('watch' in each) await start(each.watch);
            else if ('settle' in each) await settle();
            else await takeItem(items, each);
          }
          await settle();
          for (const [id, wanted] of watched) {
            const all = Array.from(items.all(), (handle) => items.definitionAt(handle) as Configured);
            const expected = all.filter((each) => isMeant(each, wanted)).map(({ name }) => name);
            assert.deepEqual([...(watcher.views.get(id) ?? [])].sort(), expected.sort(), JSON.stringify(wanted));
          }
          selections.leave(watcher.client);
          assert.deepEqual([selections.count, clock.pending], [0, 0]);
        }),
        { numRuns: 200 },
      );
    });
  }

  test('reports each change of what matches, and nothing of what does not', async () => {
    const alarms = newAlarms();
    const { watch, settle } = newWorld(alarms);
    for (const name of ['fire', 'flood']) alarms.put({ name, severity: 1 });
    const watcher = new Watcher();
    await watch(watcher, { names: ['fi*'] });
    assert.equal(watcher.updates, 1);
    for (const operation of ['activate', 'acknowledge', 'deactivate'] as const) {
      await alarms.operate('fire', operation, 'operator');
      await alarms.operate('flood', operation, 'operator');
    }
    await settle();
    assert.equal(watcher.updates, 4);
  });
});
