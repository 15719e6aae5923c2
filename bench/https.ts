// HTTPS beside HTTP: the same reads of live measurements by the same server, over connections that are kept.
import { answersASecond, withChild } from './child.ts';
import { type Benchmark, takeTurns } from './measure.ts';

const count = 10_000;
const few = 100;
const seconds = 2;
const rounds = 5;
const one = 'intake_level_000000';

export const https: Benchmark = {
  name: 'https',
  title: `GET /measurements/ of ${count} live points, and of one, over TLS and without`,
  run: (say, { quick }) =>
    withChild('live-http.ts', [String(count), String(few), 'open'], (plain) =>
      withChild('live-http.ts', [String(count), String(few), 'open', 'tls'], async (sealed) => {
        const rate = (url: string, connections?: number) => () =>
          answersASecond(url, quick ? 0.5 : seconds, connections);
        const [all = 1, allSealed = 0, single = 1, singleSealed = 0] = await takeTurns(
          quick ? 1 : rounds,
          rate(`${plain}/measurements`),
          rate(`${sealed}/measurements`),
          rate(`${plain}/measurements/${one}`, 8),
          rate(`${sealed}/measurements/${one}`, 8),
        );
        say(`collections: ${all.toFixed(0)} a second, ${allSealed.toFixed(0)} over TLS`);
        say(`one measurement: ${single.toFixed(0)} a second, ${singleSealed.toFixed(0)} over TLS`);
        return [
          { what: 'collections a second, HTTPS / HTTP', figure: (allSealed / all).toFixed(2) },
          { what: 'one measurement a second, HTTPS / HTTP', figure: (singleSealed / single).toFixed(2) },
        ];
      }),
    ),
};
