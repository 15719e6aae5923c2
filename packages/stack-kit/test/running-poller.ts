// A poller that runs for as long as its test does.
import { afterEach } from 'node:test';
import type { PolledPlant } from './polled-plant.ts';

/** For the tests of one file: what they start ends with each of them. */
export function pollersOfTests() {
  const running = { stop: async () => {} };
  afterEach(() => running.stop());
  const start = (plant: PolledPlant) => {
    const controller = new AbortController();
    /** What ended it before the test did. */
    const state: { ended: unknown } = { ended: undefined };
    const run = plant.poller.run(controller.signal).then(
      () => {
        state.ended = 'stopped';
      },
      (error) => {
        state.ended = error;
      },
    );
    running.stop = async () => {
      controller.abort();
      await run;
      running.stop = async () => {};
    };
    return state;
  };
  return { start, stop: () => running.stop() };
}
