// Writes on their way to a thread that may be busy: its client gives a write up, or the thread hands it to the stack, and
// never both. Whoever is first says so in shared memory, so that nothing is sent that was reported as not sent.

type Claims = Int32Array<SharedArrayBuffer>;

const claim = { none: 0, handed: 1, givenUp: 2 } as const;

export function createClaims(writes: number): Claims {
  return new Int32Array(new SharedArrayBuffer(writes * Int32Array.BYTES_PER_ELEMENT));
}

/** In the thread: true where the stack may have it. */
export function claimHanded(claims: Claims, at: number): boolean {
  return Atomics.compareExchange(claims, at, claim.none, claim.handed) === claim.none;
}

/** In its client: true where the stack never gets it; false where the stack has it, and the device may. */
export function giveUp(claims: Claims, at: number): boolean {
  return Atomics.compareExchange(claims, at, claim.none, claim.givenUp) !== claim.handed;
}
