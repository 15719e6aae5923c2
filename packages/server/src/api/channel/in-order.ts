// Runs many asynchronous tasks: started in order, at most so many at once, with results in order. Those that resolve at
// once run in slices, so that other work has its turn.
import type { Slices } from '../../runtime/index.ts';

const mostAtOnce = 100;

export async function inOrder<Item, Result>(
  items: readonly Item[],
  carryOut: (item: Item, at: number) => Promise<Result>,
  slices: Slices,
): Promise<Result[]> {
  const results: Result[] = [];
  let pause: Promise<void> | undefined;
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await carryOut(items[index] as Item, index);
      if (next < items.length && slices.isOver) {
        pause ??= slices.next().finally(() => {
          pause = undefined;
        });
        await pause;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, items.length) }, work));
  return results;
}
