// Carries out many asynchronous things: begun in order, so many at once and no more, their results in order.

const mostAtOnce = 100;

export async function inOrder<Item, Result>(
  items: readonly Item[],
  carryOut: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await carryOut(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, items.length) }, work));
  return results;
}
