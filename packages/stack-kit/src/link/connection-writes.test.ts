import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { never, setUp, timeSteps } from '../../test/connection-bench.ts';
import { NotConnected, type StackCommand } from '../connector.ts';
import { written } from '../write-result.ts';

describe('a write', () => {
  test('without a link is not connected, with the reason', async () => {
    const {
      begin,
      connection,
      clock,
      write: writeOne,
    } = setUp({ connect: () => Promise.reject(new NotConnected('cable')) });
    await begin();
    const outcome = await writeOne(7, 1, clock.monotonicMs());
    assert.deepEqual(outcome, { kind: 'notConnected', reason: 'cable' });
    assert.equal(connection.status().counters.writesNotConnected, 1);
  });

  test('is accepted, or refused with the device’s reason; each is counted', async () => {
    const write = async (_: StackCommand, value: unknown) =>
      value === 2 ? written.refused('interlock') : written.accepted;
    const { begin, connection, clock, events, write: writeOne } = setUp({ write });
    await begin();
    assert.deepEqual(await writeOne(7, 1, clock.monotonicMs()), { kind: 'accepted' });
    assert.deepEqual(await writeOne(7, 2, clock.monotonicMs()), { kind: 'refused', reason: 'interlock' });
    const { writesAccepted, writesRefused } = connection.status().counters;
    assert.deepEqual([writesAccepted, writesRefused, events], [1, 1, ['up', 'accepted 1']]);
  });

  test('that waits for another when the link is lost is not sent; the other may have reached the device', async () => {
    let lose: (error: Error) => void = () => undefined;
    let sent = 0;
    const {
      begin,
      clock,
      write: writeOne,
    } = setUp({
      run: () => new Promise((_, reject) => (lose = reject)),
      write: () => {
        sent++;
        return never;
      },
    });
    await begin();
    const outcomes = Promise.all([1, 2].map((value) => writeOne(7, value, clock.monotonicMs())));
    lose(new NotConnected('cable'));
    const [first, second] = await outcomes;
    assert.deepEqual(first, { kind: 'timeout', sent: true, reason: 'the link was lost before an answer: cable' });
    assert.deepEqual(second, { kind: 'notConnected', reason: 'cable' });
    assert.equal(sent, 1);
  });

  test('has the same time for it, whatever becomes of the time of day', async () => {
    for (const byMs of timeSteps) {
      const { begin, pass, clock, write: writeOne } = setUp({ write: () => never });
      await begin();
      const askedMs = clock.monotonicMs();
      clock.jump(byMs);
      let outcome: unknown;
      writeOne(7, 1, askedMs).then((ended) => {
        outcome = ended;
      });
      await pass(2999);
      assert.equal(outcome, undefined);
      await pass(1);
      assert.deepEqual(outcome, { kind: 'timeout', sent: true, reason: 'no answer' });
    }
  });

  test('that was asked too long ago is never sent', async () => {
    const { begin, clock, write: writeOne } = setUp({ write: () => assert.fail('sent') });
    await begin();
    const outcome = await writeOne(7, 1, clock.monotonicMs() - 3000);
    assert.deepEqual([outcome.kind, 'sent' in outcome && outcome.sent], ['timeout', false]);
  });
});
