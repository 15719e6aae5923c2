// Runs as a process of its own, whose files cannot grow beyond a limit: keeps values until the disk refuses, then says
// which were taken and which were not.
import { LiveState } from '../src/state/index.ts';

const [, , folder = ''] = process.argv;
const state = new LiveState({
  folder,
  onFailure: (error) => {
    throw error;
  },
});
await state.open();
const names = Array.from({ length: 400 }, (_, at) => `c${at}`);
const outcomes = names.map((name) =>
  state.saveCommand({ name, value: `s${'x'.repeat(4000)}`, timeUs: 1 }).then(
    () => true,
    () => false,
  ),
);
// One by one as well, for commits of every size.
for (let at = 0; at < 20; at++) {
  names.push(`d${at}`);
  const outcome = state.saveCommand({ name: `d${at}`, value: `s${'x'.repeat(20_000)}`, timeUs: 1 }).then(
    () => true,
    () => false,
  );
  outcomes.push(outcome);
  await outcome;
}
const taken = await Promise.all(outcomes);
console.log(JSON.stringify({ taken: names.filter((_, at) => taken[at]), failure: state.failure ?? '' }));
await state.close(1000);
