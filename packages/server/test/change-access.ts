// Changes the access store again and again, each time a user and its token together, and prints the number of each change
// that was acknowledged; ends at the first that is refused. `node change-access.ts FOLDER`.
import { writeSync } from 'node:fs';
import { AccessDatabase } from '../src/access/index.ts';

const [, , folder = ''] = process.argv;
const store = new AccessDatabase({
  folder,
  onFailure: (error) => {
    throw error;
  },
});
const stored = await store.open();
for (let number = stored.length / 2; store.failure === undefined; number++) {
  const value = { number, filler: 'x'.repeat(3000) };
  const change = store.change([
    { kind: 'users', key: `u${number}`, value },
    { kind: 'tokens', key: `t${number}`, value },
  ]);
  await change.then(
    () => writeSync(1, `${number}\n`),
    () => undefined,
  );
}
await store.close(2000);
