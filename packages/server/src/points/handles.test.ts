import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { anyName } from '../../test/any-object.ts';
import { Handles } from './handles.ts';

const anyStep = fc.record({
  name: anyName,
  isRemoval: fc.boolean(),
  waitMs: fc.constantFrom(0, 0, 1000, 40_000),
  /** The time of day is set. */
  jumpMs: fc.constantFrom(0, 0, 3_600_000, -3_600_000),
});

test('MC-13, DE-6: a name keeps its handle, and no other gets it within a minute of its end', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
      const clock = new ManualClock();
      const handles = new Handles(clock);
      const live = new Map<string, number>();
      const ended = new Map<number, number>();
      for (const { name, isRemoval, waitMs, jumpMs } of steps) {
        clock.advance(waitMs);
        clock.jump(jumpMs);
        const known = live.get(name);
        assert.equal(handles.find(name), known ?? -1);
        if (isRemoval && known !== undefined) {
          handles.release(known, name);
          live.delete(name);
          ended.set(known, clock.monotonicMs());
        } else if (isRemoval) {
          const handle = handles.reserve(name);
          handles.release(handle, name); // it does not come
          ended.set(handle, clock.monotonicMs());
        } else {
          const handle = handles.reserve(name);
          assert.equal(handles.find(name), known ?? -1, 'it is found before it is shown');
          handles.show(handle, name);
          if (known === undefined) assert.ok(clock.monotonicMs() - (ended.get(handle) ?? -1e15) >= 60_000);
          else assert.equal(handle, known);
          live.set(name, handle);
        }
        assert.equal(new Set(live.values()).size, live.size, 'two names share a handle');
        assert.deepEqual(
          [...handles.all()],
          [...live.values()].sort((a, b) => a - b),
        );
        assert.equal(handles.size, live.size);
        for (const [each, handle] of live) assert.equal(handles.nameOf(handle), each);
      }
      assert.ok(handles.limit <= live.size + ended.size + 1);
    }),
  );
});
