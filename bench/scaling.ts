// What one object costs to configure and render, in small and large configurations; and how long live values have to
// wait for it.
import { atMost, type Benchmark, median, takeTurns, timed } from './measure.ts';
import { connector, measurements, putAll } from './plant.ts';
import { post, withServer } from './server.ts';

const sizes = [1_000, 10_000, 100_000];
const rounds = 5;
/** Of the largest size, those that change when all run. */
const changed = 1_000;
/** Each size has seen as many objects before it is measured; nothing of them is left. */
const warmUpObjects = 100_000;

export const scaling: Benchmark = {
  name: 'scaling',
  title: 'Cost an object of configuring and rendering, by the size of the configuration',
  async run(say) {
    const pauses: number[] = [];
    const bodies = sizes.map((size) => putAll(measurements(size)));
    const costs = await takeTurns(
      rounds,
      ...sizes.map((size, at) => () => configure(size, bodies[at] ?? new Uint8Array(), pauses)),
    );
    sizes.forEach((size, at) => {
      say(`${size} measurements: ${((1000 * (costs[at] ?? 0)) / size).toFixed(1)} µs each`);
    });
    const each = sizes.map((size, at) => (costs[at] ?? 0) / size);
    return [
      atMost(`an object among ${sizes.at(-1)} / among ${sizes[0]}`, (each.at(-1) ?? 0) / (each[0] ?? 1), 1.3),
      atMost('longest pause of the event loop meanwhile, in ms', Math.max(...pauses), 100),
      atMost(`the same when ${changed} of them change, in ms`, await changeSome(bodies.at(-1) ?? new Uint8Array()), 20),
    ];
  },
};

/** The longest pause of renderings that change some of very many: as long as the step is in which they take effect. */
function changeSome(all: Uint8Array): Promise<number> {
  return withServer(async (server) => {
    const txn = `${server.config}/cfgdb/txn?render=1`;
    await server.send('PUT', `/connectors/${connector.name}`, connector);
    await post(txn, all);
    const pauses: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const some = measurements(changed).map((each) => ({ ...each, description: `changed ${round}` }));
      await longestPauseMs(server.url);
      await post(txn, putAll(some));
      pauses.push(await longestPauseMs(server.url));
    }
    return median(pauses);
  });
}

/** The milliseconds of one transaction with render, on a new server and a new data folder, after a warm-up. */
function configure(size: number, body: Uint8Array, pauses: number[]): Promise<number> {
  return withServer(async (server) => {
    const txn = `${server.config}/cfgdb/txn?render=1`;
    await server.send('PUT', `/connectors/${connector.name}`, connector);
    for (let seen = 0; seen < warmUpObjects; seen += size) await post(`${txn}&commit=0`, body);
    await longestPauseMs(server.url);
    const tookMs = await timed(() => post(txn, body));
    pauses.push(await longestPauseMs(server.url));
    return tookMs;
  });
}

/** Since it was asked last. */
async function longestPauseMs(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (.*)$/m.exec(metrics)?.[1]);
}
