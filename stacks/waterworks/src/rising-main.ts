// The rising main: what the pumps move through it together. Pure.

/** Head in m of a pump at full speed against a closed valve, and what a flow in m³/h takes of it. */
const shutoffHead = 95;
const headLoss = 5e-4;
/** From tank 1 up to tank 2, floor to floor, and what the flow in the main costs. */
const liftHead = 45;
const friction = 3.2e-4;

export interface MainFlow {
  /** In m³/h. */
  total: number;
  /** At the pumps, in m. */
  head: number;
}

/** Fills in the flow of each pump, from speeds of 0 to 1; each has a flap against flow backwards. */
export function solveMain(speeds: readonly number[], levelDifference: number, flows: number[]): MainFlow {
  const still = liftHead + levelDifference;
  const pumpFlow = (speed: number, head: number) =>
    Math.sqrt(Math.max(0, shutoffHead * speed * speed - head) / headLoss);
  // The more head, the less flow: between the head at rest and that of the fastest pump lies the one where both agree.
  let low = still;
  let high = still;
  for (const speed of speeds) high = Math.max(high, shutoffHead * speed * speed);
  for (let round = 0; round < 24 && high - low > 1e-4; round++) {
    const head = (low + high) / 2;
    let total = 0;
    for (const speed of speeds) total += pumpFlow(speed, head);
    if (still + friction * total * total > head) low = head;
    else high = head;
  }
  const head = (low + high) / 2;
  let total = 0;
  for (let index = 0; index < speeds.length; index++) {
    const flow = pumpFlow(speeds[index] ?? 0, head);
    flows[index] = flow;
    total += flow;
  }
  return { total, head };
}
