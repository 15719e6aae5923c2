// Bytes that have their memory for themselves: it can be handed over to another thread as it is, or given back at once.

/** Of such values, the memory that is handed over without a copy. */
export function ownBuffers(values: readonly unknown[]): ArrayBuffer[] {
  return values.flatMap((value) => {
    if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer)) return [];
    return value.byteLength === value.buffer.byteLength ? [value.buffer] : [];
  });
}

/** Gives the memory of such bytes back at once: they may be large, and would lie until they are collected. */
export function release(bytes: Uint8Array): void {
  for (const buffer of ownBuffers([bytes])) buffer.transfer(0);
}
