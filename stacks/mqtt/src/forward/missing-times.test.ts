import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import { MissingTimes, type Span } from './missing-times.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const overlapUs = 90;
const maxAgeUs = 100_000;

function load(folder: string, more: Partial<Parameters<typeof MissingTimes.load>[0]> = {}) {
  return MissingTimes.load({ folder, log: quiet, overlapUs, maxAgeUs, ...more });
}

/** All that is missing, as it is sent. */
function takeAll(missing: MissingTimes, nowUs: number): Span[] {
  const spans: Span[] = [];
  for (let span = missing.first; span !== undefined; span = missing.first) {
    spans.push(span);
    missing.sentUntil(span.untilUs, nowUs);
  }
  return spans;
}

test('nothing is missing at the first time; afterwards what was not seen, and as much before as a loss goes unnoticed', async (t) => {
  const missing = await load(temporaryFolder(t));
  assert.equal(missing.begin(1000), undefined);
  assert.equal(missing.first, undefined);
  missing.present(2000);
  assert.equal(missing.begin(5000), undefined);
  assert.deepEqual(takeAll(missing, 5000), [{ sinceUs: 1910, untilUs: 5000 }]);
});

test('what was sent shortly before a loss is sent again, what was sent long before is not', async (t) => {
  const missing = await load(temporaryFolder(t));
  missing.begin(1000);
  missing.begin(50_000);
  missing.sentUntil(20_000, 50_010);
  missing.present(50_200);
  missing.sentUntil(30_000, 50_210);
  missing.begin(60_000);
  assert.deepEqual(takeAll(missing, 60_000), [
    { sinceUs: 20_000, untilUs: 50_000 },
    { sinceUs: 50_110, untilUs: 60_000 },
  ]);
});

test('what is too old is given up, and told', async (t) => {
  const missing = await load(temporaryFolder(t));
  missing.begin(1000);
  assert.deepEqual(missing.begin(201_000), { sinceUs: 910, untilUs: 101_000 });
  assert.deepEqual(takeAll(missing, 0), [{ sinceUs: 101_000, untilUs: 201_000 }]);
});

test('a file that is damaged counts as none', async (t) => {
  const folder = temporaryFolder(t);
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"missing": [{"sinceUs": "x"}]}',
    '{"missing": 5}',
    '{"presentUs": 1.5}',
  ]) {
    writeFileSync(join(folder, 'missing-times.json'), text);
    const missing = await load(folder);
    missing.begin(1_000_000);
    assert.equal(missing.first, undefined, text);
  }
});

test('no moment at which nobody received is forgotten, however often it is lost, noticed late, and restarted', async (t) => {
  const step = fc.record({
    upUs: fc.integer({ min: 1, max: 300 }),
    unnoticedUs: fc.integer({ min: 0, max: overlapUs }),
    downUs: fc.integer({ min: 1, max: 300 }),
    /** How much of what is missing is sent before the next loss. */
    sendUs: fc.integer({ min: 0, max: 400 }),
    restart: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const folder = temporaryFolder(t);
      let missing = await load(folder);
      let nowUs = 1000;
      const got = new Set<number>();
      missing.begin(nowUs);
      for (const { upUs, unnoticedUs, downUs, sendUs, restart } of steps) {
        for (let at = nowUs; at < nowUs + upUs; at++) got.add(at);
        nowUs += upUs;
        missing.present(nowUs);
        const sent: number[] = [];
        for (let left = sendUs; left > 0 && missing.first !== undefined; ) {
          const { sinceUs, untilUs } = missing.first;
          const end = Math.min(untilUs, sinceUs + left);
          for (let at = sinceUs; at < end; at++) sent.push(at);
          missing.sentUntil(end, nowUs);
          left -= end - sinceUs;
        }
        if (unnoticedUs === 0) for (const at of sent) got.add(at);
        nowUs += unnoticedUs;
        missing.present(nowUs);
        nowUs += downUs;
        if (restart) {
          await missing.stored();
          missing = await load(folder);
        }
        missing.begin(nowUs);
      }
      for (const { sinceUs, untilUs } of takeAll(missing, nowUs)) {
        for (let at = sinceUs; at < untilUs; at++) got.add(at);
      }
      for (let at = 1000; at < nowUs; at++) assert.ok(got.has(at), `${at} of 1000 to ${nowUs}`);
    }),
    { numRuns: 60 },
  );
});
