import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { never, setUp } from '../../test/connection-bench.ts';
import { NotConnected, Refused, type StackCommand } from '../connector.ts';

describe('a write', () => {
  test('without a link is not connected, with the reason', async () => {
    const { begin, connection, clock } = setUp({ connect: () => Promise.reject(new NotConnected('cable')) });
    await begin();
    const outcome = await connection.write(7, 1, clock.now());
    assert.deepEqual(outcome, { kind: 'notConnected', reason: 'cable' });
    assert.equal(connection.status().counters.writesNotConnected, 1);
  });

  test('is accepted, or refused with the device’s reason; each is counted', async () => {
    const write = async (_: StackCommand, value: unknown) => {
      if (value === 2) throw new Refused('interlock');
    };
    const { begin, connection, clock, events } = setUp({ write });
    await begin();
    assert.deepEqual(await connection.write(7, 1, clock.now()), { kind: 'accepted' });
    assert.deepEqual(await connection.write(7, 2, clock.now()), { kind: 'refused', reason: 'interlock' });
    const { writesAccepted, writesRefused } = connection.status().counters;
    assert.deepEqual([writesAccepted, writesRefused, events], [1, 1, ['up', 'accepted 1']]);
  });

  test('that waits for another when the link is lost is not sent; the other may have reached the device', async () => {
    let lose: (error: Error) => void = () => undefined;
    let sent = 0;
    const { begin, connection, clock } = setUp({
      run: () => new Promise((_, reject) => (lose = reject)),
      write: () => {
        sent++;
        return never;
      },
    });
    await begin();
    const outcomes = Promise.all([1, 2].map((value) => connection.write(7, value, clock.now())));
    lose(new NotConnected('cable'));
    const [first, second] = await outcomes;
    assert.deepEqual(first, { kind: 'timeout', sent: true, reason: 'the link was lost before an answer: cable' });
    assert.deepEqual(second, { kind: 'notConnected', reason: 'cable' });
    assert.equal(sent, 1);
  });

  test('that was asked later than now, by a clock that was set back, has no more time than others', async () => {
    const { begin, pass, connection, clock } = setUp({ write: () => never });
    await begin();
    const outcome = connection.write(7, 1, clock.now() + 3_600_000_000);
    await pass(3000);
    assert.deepEqual(await outcome, { kind: 'timeout', sent: true, reason: 'no answer' });
  });

  test('that was asked too long ago is never sent', async () => {
    const { begin, connection, clock } = setUp({ write: () => assert.fail('sent') });
    await begin();
    const outcome = await connection.write(7, 1, clock.now() - 3_000_000);
    assert.deepEqual([outcome.kind, 'sent' in outcome && outcome.sent], ['timeout', false]);
  });
});
