// What the audit trail costs writes of commands: the same writes over HTTP, each on disk when it is answered, with and without it.
import { output, withChild } from './child.ts';
import { atLeast, type Benchmark, takeTurns } from './measure.ts';

const connections = 256;
const seconds = 3;

export const audit: Benchmark = {
  name: 'audit',
  title: `writes of ${connections} clients over HTTP, with the audit trail and without`,
  run: (say, { quick }) =>
    withChild('audit-writes.ts', ['audited', String(connections)], (audited) =>
      withChild('audit-writes.ts', ['bare', String(connections)], async (bare) => {
        const rate = (url: string) => async () =>
          Number(await output('write-load.ts', [url, String(seconds), String(connections)]));
        const [plain = 1, recorded = 0] = await takeTurns(quick ? 1 : 7, rate(bare), rate(audited));
        say(`without ${plain.toFixed(0)}, with ${recorded.toFixed(0)} a second`);
        return [
          atLeast('writes a second with the audit trail / without', recorded / plain, 0.85),
          atLeast('thousands of audited writes a second', recorded / 1000, 5),
        ];
      }),
    ),
};
