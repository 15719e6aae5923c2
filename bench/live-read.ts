// Reading live measurements over HTTP: the whole collection with some and with all changing between reads, and one.
import { answersASecond, withChild } from './child.ts';
import { benchCallers, isSeen } from './live-points.ts';
import { atLeast, type Benchmark, takeTurns } from './measure.ts';

const count = 10_000;
const few = 100;
const seconds = 2;
const rounds = 5;

export const liveRead: Benchmark = {
  name: 'live-read',
  title: `GET /measurements/ of ${count} live points, and of one`,
  run: (say) =>
    withChild('live-http.ts', [String(count), String(few)], (fewUrl) =>
      withChild('live-http.ts', [String(count), String(count)], (allUrl) =>
        withChild('live-http.ts', [String(count), '0'], (stillUrl) =>
          withChild('ceiling-http.ts', [`${fewUrl}/measurements`], (ceilings) =>
            withChild('ceiling-http.ts', [`${fewUrl}/measurements/${one}`], async (oneCeilings) => {
              const [bare = ''] = ceilings.split(' ');
              const [, app = ''] = oneCeilings.split(' ');
              const rate = (url: string, connections?: number) => () => answersASecond(url, seconds, connections);
              const [raw = 1, some = 0, all = 0, stringify = 1, single = 0, constant = 1] = await takeTurns(
                rounds,
                rate(`${bare}/raw`),
                rate(`${fewUrl}/measurements`),
                rate(`${allUrl}/measurements`),
                rate(`${bare}/stringify`),
                rate(`${stillUrl}/measurements/${one}`, 8),
                rate(`${app}/fastify`, 8),
              );
              say(
                `constant buffer ${raw.toFixed(0)}, ${few} changing ${some.toFixed(0)}, all ${all.toFixed(0)} a second`,
              );
              say(
                `JSON.stringify ${stringify.toFixed(0)}; one ${single.toFixed(0)}, bare Fastify ${constant.toFixed(0)}`,
              );
              const callers = await ofCallers(rate);
              for (const { what } of callers) say(what);
              return [
                ...callers.map(({ result }) => result),
                atLeast(`collections a second, ${few} changing / constant buffer of bare node:http`, some / raw, 0.4),
                atLeast('collections a second, all changing / JSON.stringify', all / stringify, 4),
                atLeast('one measurement a second / constant answer of bare Fastify', single / constant, 0.85),
              ];
            }),
          ),
        ),
      ),
    ),
};

/** Of each kind of caller, collections and single values a second, as a part of those of the caller of an open service. */
async function ofCallers(rate: (url: string, connections?: number) => () => Promise<number>) {
  const urls: string[] = [];
  const within = async (at: number): Promise<number[]> => {
    const who = benchCallers[at];
    if (who === undefined) {
      const collections = urls.map((url) => rate(`${url}/measurements`));
      return takeTurns(rounds, ...collections, ...urls.map((url) => rate(`${url}/measurements/${one}`, 8)));
    }
    return withChild('live-http.ts', [String(count), String(few), who], (url) => {
      urls.push(url);
      return within(at + 1);
    });
  };
  const [open = 1, unscoped = 0, scoped = 0, openOne = 1, unscopedOne = 0, scopedOne = 0] = await within(0);
  const seen = Array.from({ length: count }, (_, at) => isSeen(at)).filter(Boolean).length;
  const compared = (what: string, ratio: number, bound: number) => ({
    what: `${what}: ${ratio.toFixed(3)}`,
    result: atLeast(`${what} / caller of an open service`, ratio, bound),
  });
  return [
    compared('collections a second, unscoped token', unscoped / open, 0.97),
    compared('values of collections a second, scoped token', (scoped * seen) / (open * count), 0.9),
    compared('one measurement a second, unscoped token', unscopedOne / openOne, 0.97),
    compared('one measurement a second, scoped token', scopedOne / openOne, 0.9),
  ];
}

const one = 'intake_level_000000';
