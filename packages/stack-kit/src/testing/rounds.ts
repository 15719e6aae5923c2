// How often the suite does what must not add up: as often as is asked for, or, unasked, as its time allows.

export interface Rounds {
  readonly count: number;
  /** After this long it is enough. */
  readonly enoughMs: number;
}

/** The first ones fill caches and let the engine compile. */
export const warmUps: Rounds = { count: 20, enoughMs: 4000 };

const usual: Rounds = { count: 100, enoughMs: 5000 };

/** CONFORMANCE_RECONNECTS=1000 in the environment asks for as many, however long they take. */
export function askedRounds(): Rounds {
  const { CONFORMANCE_RECONNECTS: asked } = process.env;
  return asked === undefined ? usual : { count: Number(asked), enoughMs: Number.POSITIVE_INFINITY };
}

/** Returns how often it was done. */
export async function untilEnough({ count, enoughMs }: Rounds, round: () => Promise<unknown>): Promise<number> {
  const endMs = performance.now() + enoughMs;
  let done = 0;
  while (done < count && performance.now() < endMs) {
    await round();
    done++;
  }
  return done;
}
