// What the protocols cost: real devices' worth of points, read by the real server from a process beside it.
import type { Benchmark } from './measure.ts';
import { modbusLoad } from './stacks-modbus.ts';

export const stacks: Benchmark = {
  name: 'stacks',
  title: '100,000 Modbus registers of one device',
  async run(say, options) {
    return [...(await modbusLoad(say, options))];
  },
};
