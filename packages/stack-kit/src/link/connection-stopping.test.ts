import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, untilAborted } from '@telltale/schema';
import { points, setUp, turns } from '../../test/connection-bench.ts';
import { NotConnected } from '../connector.ts';

describe('stopping', () => {
  test('ends run by its signal, closes, and reports that the link is down', async () => {
    const seen: string[] = [];
    const { begin, connection, events, clock, publish } = setUp({
      run: async (signal) => {
        await untilAborted(signal);
        seen.push('run ended');
      },
      close: async () => void seen.push('closed'),
    });
    await begin();
    await connection.stop();
    publish(1);
    assert.deepEqual(seen, ['run ended', 'closed']);
    assert.deepEqual(events, ['up', 'down stopped']);
    assert.equal(connection.status().counters.errors, 0);
    assert.equal(clock.pending, 0);
  });

  test('at whichever moment it comes, the link does not stay up after it, and the stack gets no points', async () => {
    for (let moment = 0; moment < 60; moment++) {
      let isStopped = false;
      const pointsGiven: boolean[] = [];
      const { connection, events, write: writeOne } = setUp({ setPoints: () => void pointsGiven.push(isStopped) });
      // Every other time in the turn before that of the link.
      if (moment % 2 === 0) connection.setPoints(points());
      const passed = (async () => {
        for (let i = 0; i < moment >> 1; i++) await null;
        isStopped = true;
        return connection.stop();
      })();
      if (moment % 2 === 1) connection.setPoints(points());
      await passed;
      await turns();
      assert.deepEqual(events, events.length === 0 ? [] : ['up', 'down stopped']);
      assert.equal((await writeOne(7, 1, 0)).kind, 'notConnected');
      assert.notEqual(connection.status().state, 'up');
      assert.ok(!pointsGiven.includes(true));
    }
  });

  test('a provider is sent nothing more, and asked nothing once it is closed', async () => {
    const reported: string[] = [];
    const { begin, connection } = setUp({
      publish: () => void reported.push('values'),
      publishAlarms: () => void reported.push('alarms'),
      detail: () => ({ clients: reported.push('asked') }),
    });
    await begin();
    const stopping = connection.stop();
    connection.publish(new Batch());
    connection.publishAlarms([]);
    await stopping;
    assert.equal(connection.detail().clients, undefined);
    assert.deepEqual(reported, []);
  });

  test('in a pause ends at once, and nothing is tried after it', async () => {
    let tries = 0;
    const { begin, pass, connection, clock } = setUp({
      connect: () => {
        tries++;
        throw new NotConnected('no');
      },
    });
    await begin();
    await connection.stop();
    assert.equal(clock.pending, 0);
    connection.setPoints(points());
    await pass(100_000);
    assert.equal(tries, 1);
  });
});
