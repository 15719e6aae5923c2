// Bytes with memory of their own: it can be transferred to another thread as it is, or freed at once.

/** Of such values, the memory that is transferred without a copy. */
export function ownBuffers(values: readonly unknown[]): ArrayBuffer[] {
  return values.flatMap((value) => {
    if (!(value instanceof Uint8Array) || !(value.buffer instanceof ArrayBuffer)) return [];
    return value.byteLength === value.buffer.byteLength ? [value.buffer] : [];
  });
}

/** Frees the memory of such bytes at once: they may be large, and would stay until the next collection. */
export function release(bytes: Uint8Array): void {
  for (const buffer of ownBuffers([bytes])) buffer.transfer(0);
}
