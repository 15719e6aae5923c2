// Generating the objects of a type, against a JSON transaction of the same objects.
import type { Measurement } from '@telltale/schema';
import { atMost, type Benchmark, ms, takeTurns, timed } from './measure.ts';
import { connector, deleteAll, putAll } from './plant.ts';
import { post, withServer } from './server.ts';

const objectsEach = 10;
const warmUps = 2;
const rounds = 7;

export const typicals: Benchmark = {
  name: 'typicals',
  title: 'Objects of a type, against a JSON transaction of the same',
  run: (say, { quick }) =>
    withServer(async (server) => {
      const count = quick ? 1000 : 10_000;
      const instances = Array.from({ length: count / objectsEach }, (_, at) => ({ pump: `p${at}`, base: at * 100 }));
      const first = JSON.stringify({ type: typeOf('0.5'), instances });
      const changed = JSON.stringify({ type: typeOf('1'), instances });
      const generate = async (body: string, counted: string) => {
        // What is deleted by a transaction counts as deleted by people.
        const headers = { 'content-type': 'application/json' };
        const url = `${server.config}/typicals/generate?overwrite=1`;
        const answer = await fetch(url, { method: 'POST', headers, body });
        const text = await answer.text();
        if (!answer.ok || !text.includes(`"${counted}":${count},`)) throw new Error(text.slice(0, 500));
      };
      await server.send('PUT', `/connectors/${connector.name}`, connector);
      await generate(first, 'added');
      const made = await (await fetch(`${server.config}/measurements/`)).json();
      const objects = Object.values(made as Record<string, Measurement>);
      const [puts, deletes, txn] = [putAll(objects), deleteAll(objects), `${server.config}/cfgdb/txn`];
      await post(txn, deletes);
      const side = (work: () => Promise<unknown>) => async () => {
        const elapsed = await timed(work);
        await post(txn, deletes);
        return elapsed;
      };
      const sides = [side(() => post(txn, puts)), side(() => generate(first, 'added'))];
      await takeTurns(warmUps, ...sides);
      const [jsonMs = 0, generateMs = 0] = await takeTurns(rounds, ...sides);
      await generate(first, 'added');
      const [bothMs = 0] = await takeTurns(rounds, () =>
        timed(async () => {
          await generate(changed, 'changed');
          await generate(first, 'changed');
        }),
      );
      const updateMs = bothMs / 2;
      say(`${count} objects: JSON ${ms(jsonMs)}, generated ${ms(generateMs)}, changed with their type ${ms(updateMs)}`);
      return [
        atMost('generated / JSON', generateMs / jsonMs, 2),
        atMost('changed with their type / JSON', updateMs / jsonMs, 2),
      ];
    }),
};

/** A pump of ten measurements. */
function typeOf(deadband: string): object {
  const measurements = Object.fromEntries(
    Array.from({ length: objectsEach }, (_, at) => [
      `{pump}_v${at}`,
      {
        address: `bus({pump}.v{base+${at}})`,
        connectorName: connector.name,
        datatype: 'd',
        eu: 'bar',
        euRangeLo: '0',
        euRangeHi: '16',
        deadband,
        archMode: 'change',
        description: `Pump {pump}, value ${at}`,
      },
    ]),
  );
  return { name: 'pump', parameters: { pump: {}, base: {} }, objects: { measurements } };
}
