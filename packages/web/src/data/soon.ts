// Gathers what happens many times into one.

/** Runs so long after it was first asked for: what is asked for meanwhile is done with it. */
export function soon(run: () => void, delayMs: number): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      run();
    }, delayMs);
  };
}
