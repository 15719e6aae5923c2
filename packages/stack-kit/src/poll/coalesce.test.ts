import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type CoalesceLimits, coalesce, type Span } from './coalesce.ts';

const anySpan: fc.Arbitrary<Span> = fc.record({
  start: fc.integer({ min: 0, max: 40 }),
  length: fc.integer({ min: 1, max: 6 }),
});
const anyLimits: fc.Arbitrary<CoalesceLimits> = fc.record({
  maxLength: fc.integer({ min: 1, max: 20 }),
  maxGap: fc.integer({ min: 0, max: 8 }),
});

const endOf = ({ start, length }: Span) => start + length;

/** Whether these spans may be one request. */
function fit(spans: readonly Span[], { maxLength, maxGap }: CoalesceLimits): boolean {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  let end = endOf(sorted[0] as Span);
  for (const span of sorted) {
    if (span.start - end > maxGap) return false;
    end = Math.max(end, endOf(span));
  }
  const first = (sorted[0] as Span).start;
  return end - first <= maxLength || sorted.some((span) => span.start === first && endOf(span) === end);
}

/** The fewest groups into which the spans can be put, by trying them all. */
function fewest(spans: readonly Span[], limits: CoalesceLimits): number {
  let best = spans.length;
  const put = (at: number, groups: Span[][]) => {
    if (groups.length > best) return;
    const span = spans[at];
    if (span === undefined) {
      if (groups.every((group) => fit(group, limits))) best = groups.length;
      return;
    }
    for (const group of groups) {
      group.push(span);
      put(at + 1, groups);
      group.pop();
    }
    put(at + 1, [...groups, [span]]);
  };
  put(0, []);
  return best;
}

describe('coalescing', () => {
  test('puts every span whole into exactly one request, within the limits', () => {
    fc.assert(
      fc.property(fc.array(anySpan, { maxLength: 40 }), anyLimits, (spans, limits) => {
        const requests = coalesce(spans, limits);
        const found = requests.flatMap((request) => request.spans);
        assert.equal(found.length, spans.length);
        assert.deepEqual(new Set(found), new Set(spans));
        for (const request of requests) {
          assert.ok(fit(request.spans, limits));
          assert.equal(request.start, Math.min(...request.spans.map(({ start }) => start)));
          assert.equal(endOf(request), Math.max(...request.spans.map(endOf)));
        }
      }),
    );
  });

  test('makes no more requests than are needed', () => {
    fc.assert(
      fc.property(fc.array(anySpan, { minLength: 1, maxLength: 6 }), anyLimits, (spans, limits) => {
        assert.equal(coalesce(spans, limits).length, fewest(spans, limits));
      }),
    );
  });

  test('leaves the given list as it was, and accepts an empty one', () => {
    const spans = [
      { start: 9, length: 1 },
      { start: 1, length: 1 },
    ];
    coalesce(spans, { maxLength: 100, maxGap: 100 });
    assert.deepEqual(
      spans.map(({ start }) => start),
      [9, 1],
    );
    assert.deepEqual(coalesce([], { maxLength: 1, maxGap: 0 }), []);
  });
});
