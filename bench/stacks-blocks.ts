// 100 registers that a client writes at once at the Modbus provider, each a command of one device: through the server and to the
// device in one piece, answered when all are on disk; beside one register by the same way, and the block to the bare device.
import assert from 'node:assert/strict';
import { RawClient } from '../stacks/modbus/test/raw-client.ts';
import { block, blockDone, startBlockPlant } from '../test/modbus-block-plant.ts';
import { atMost, type Benchmark, median, takeTurns, timed } from './measure.ts';

const writesARound = 20;

export const stacksBlocks: Benchmark = {
  name: 'stacks-blocks',
  title: '100 registers written at once through the Modbus provider to one device',
  async run(say, { quick }) {
    await using cleanup = new AsyncDisposableStack();
    const { client, devicePort } = await startBlockPlant(cleanup);
    const device = await RawClient.connect(devicePort);
    cleanup.defer(() => device.close());
    let written = 0;
    /** The median time of a write; each writes values that are new. */
    const side = (asked: RawClient, request: () => string, done: RegExp) => async () => {
      const times: number[] = [];
      for (let at = 0; at < writesARound; at++) {
        written = (written + 1) % 30_000;
        times.push(await timed(async () => assert.match(await asked.ask(request()), done)));
      }
      return median(times);
    };
    const whole = () => block((at) => written + at);
    const single = () => `06 0000 ${written.toString(16).padStart(4, '0')}`;
    const [through = 0, one = 1, bare = 1] = await takeTurns(
      quick ? 2 : 15,
      side(client, whole, new RegExp(blockDone)),
      side(client, single, /^060000/),
      side(device, whole, new RegExp(blockDone)),
    );
    const figures = [through, one, bare].map((each) => each.toFixed(2));
    say(
      `ms of a write: the block ${figures[0]}, one register ${figures[1]}, the block to the bare device ${figures[2]}`,
    );
    return [
      atMost('ms of 100 registers written at once', through, 50),
      atMost('100 registers written at once / one register, both through the server', through / one, 5),
      { what: 'the same / the bare device', figure: (through / bare).toFixed(1) },
    ];
  },
};
