// Gathers all of something at once, and gives it as one buffer.
import type { Gathering } from '../src/points/index.ts';

export function gathered(steps: Gathering): Buffer {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return Buffer.concat(value.pieces);
  }
}
