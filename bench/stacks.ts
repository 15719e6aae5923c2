// What the protocols cost: real devices' worth of points, read by the real server from a process beside it.
import type { Benchmark } from './measure.ts';
import { opcuaItems } from './opcua-items.ts';
import { modbusLoad } from './stacks-modbus.ts';

export const stacks: Benchmark = {
  name: 'stacks',
  title: '100,000 Modbus registers of one device, 10,000 OPC UA items of one server',
  async run(say, options) {
    return [...(await modbusLoad(say, options)), ...(await opcuaItems(say, options))];
  },
};
