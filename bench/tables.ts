// Tables of measurements in, as CSV and as a workbook, against a JSON transaction of the same; and out.
import { atMost, type Benchmark, ms, takeTurns, timed } from './measure.ts';
import { connector, deleteAll, measurements, putAll } from './plant.ts';
import { post, withServer } from './server.ts';

const warmUps = 2;
const rounds = 7;

export const tables: Benchmark = {
  name: 'tables',
  title: 'Tables of measurements, against a JSON transaction of the same',
  run: (say, { quick }) =>
    withServer(async (server) => {
      const count = quick ? 1000 : 10_000;
      const objects = measurements(count);
      const [puts, deletes] = [putAll(objects), deleteAll(objects)];
      const txn = `${server.config}/cfgdb/txn`;
      const table = `${server.config}/tables/measurements`;
      await server.send('PUT', `/connectors/${connector.name}`, connector);
      const fetched = async (format: string) =>
        new Uint8Array(await (await fetch(`${table}?format=${format}`)).arrayBuffer());
      await post(txn, puts);
      const [csv, xlsx] = [await fetched('csv'), await fetched('xlsx')];
      await post(txn, deletes);
      const put = async (body: Uint8Array<ArrayBuffer>) => {
        const headers = { 'content-type': 'application/octet-stream' };
        const answer = await fetch(table, { method: 'PUT', headers, body });
        const text = await answer.text();
        if (!answer.ok || !text.includes(`"added":${count},`)) throw new Error(text);
      };
      const side = (work: () => Promise<unknown>) => async () => {
        const elapsed = await timed(work);
        await post(txn, deletes);
        return elapsed;
      };
      const sides = [side(() => post(txn, puts)), side(() => put(csv)), side(() => put(xlsx))];
      await takeTurns(warmUps, ...sides);
      const [jsonMs = 0, csvMs = 0, xlsxMs = 0] = await takeTurns(rounds, ...sides);
      await post(txn, puts);
      const [csvOutMs = 0, xlsxOutMs = 0] = await takeTurns(
        rounds,
        () => timed(() => fetched('csv')),
        () => timed(() => fetched('xlsx')),
      );
      say(`${count} rows in: JSON ${ms(jsonMs)}, CSV ${ms(csvMs)}, XLSX ${ms(xlsxMs)}`);
      say(`out: CSV ${ms(csvOutMs)}, XLSX ${ms(xlsxOutMs)}; ${csv.length} and ${xlsx.length} bytes`);
      return [
        atMost(`seconds that ${count} rows of CSV take longer than the same as JSON`, (csvMs - jsonMs) / 1000, 2),
        atMost(`seconds that ${count} rows of XLSX take longer than the same as JSON`, (xlsxMs - jsonMs) / 1000, 2),
        atMost('CSV / JSON', csvMs / jsonMs, 2),
        atMost('XLSX / JSON', xlsxMs / jsonMs, 4),
      ];
    }),
};
