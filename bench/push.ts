// Push: values that reach 50 watchers of 1,000 points a second, against a bare ws server that sends the same prepared
// message, and against mosquitto where the machine has it.

import { output, withChild } from './child.ts';
import type { BenchCaller } from './live-points.ts';
import { atLeast, type Benchmark, takeTurns } from './measure.ts';
import { mosquittoRate } from './mosquitto.ts';

const points = 1000;
const clients = 50;
const seconds = 3;
const rounds = 3;

export const push: Benchmark = {
  name: 'push',
  title: `${points} points watched by ${clients} clients, as fast as they take it`,
  async run(say) {
    const [same = 0, different = 0, bare = 1, mosquitto = 0, unscoped = 0, scoped = 0] = await takeTurns(
      rounds,
      () => valuesASecond('channel', 'same'),
      () => valuesASecond('channel', 'different'),
      () => valuesASecond('bare', 'same'),
      () => mosquittoRate(points, clients, seconds),
      () => valuesASecond('channel', 'same', 'unscoped'),
      () => valuesASecond('channel', 'same', 'scoped'),
    );
    const millions = (rate: number) => `${(rate / 1e6).toFixed(1)} million`;
    say(
      `values a second: channel ${millions(same)}, bare ws ${millions(bare)}, different lists ${millions(different)}`,
    );
    const results = [
      atLeast('values a second to watchers with an unscoped token / of an open service', unscoped / same, 0.97),
      atLeast('values a second to watchers with a scoped token / of an open service', scoped / same, 0.9),
      atLeast('values a second to watchers of the same points / bare ws', same / bare, 0.6),
      atLeast('values a second to watchers of different points, in millions', different / 1e6, 5),
    ];
    if (mosquitto === 0) {
      say('mosquitto is not on this machine: apt-get install mosquitto mosquitto-clients');
      return results;
    }
    say(`mosquitto, one message a value, QoS 0: ${millions(mosquitto)}`);
    return [...results, atLeast('values a second to watchers / mosquitto', same / mosquitto, 1)];
  },
};

function valuesASecond(
  side: 'channel' | 'bare',
  lists: 'same' | 'different',
  who: BenchCaller = 'open',
): Promise<number> {
  const size = [String(points), String(clients)];
  return withChild('push-server.ts', [side, ...size, who], async (url) =>
    Number(await output('push-clients.ts', [url, ...size, String(seconds), lists])),
  );
}
