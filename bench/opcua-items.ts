// 10,000 OPC UA items that change once a second, monitored by the real server: what it takes of processor and memory.
import { UaDevice } from '../stacks/opcua/test/ua-device.ts';
import type { ServerProcess } from '../test/server-process.ts';
import { atLeast, type Options, type Result, type Say } from './measure.ts';
import { pause } from './peers/peer.ts';
import { post, withServer } from './server.ts';
import { processorSeconds, residentBytes } from './stacks-modbus.ts';

const count = 10_000;
const settleMs = 10_000;

export async function opcuaItems(say: Say, { quick }: Options): Promise<Result[]> {
  const seconds = quick ? 5 : 20;
  const device = await UaDevice.start();
  try {
    await device.order({ kind: 'many', value: count, type: 1000 });
    return await withServer(async (server) => {
      const idleBytes = residentBytes(server.pid);
      const endpointUrl = `opc.tcp://127.0.0.1:${device.port}`;
      const vars = { endpointUrl, securityMode: 'None', publishingIntervalMs: '1000', samplingIntervalMs: '1000' };
      await server.send('PUT', '/connectors/ua', { name: 'ua', stackName: 'opcua', vars });
      await post(`${server.config}/cfgdb/txn?render=1`, measurements());
      await pause(settleMs);
      const [start, used] = [performance.now(), processorSeconds(server.pid)];
      await pause(seconds * 1000);
      const cores = (processorSeconds(server.pid) - used) / ((performance.now() - start) / 1000);
      const [bytes, rate] = [residentBytes(server.pid), await valuesASecond(server)];
      say(`10,000 OPC UA items at 1 Hz: ${Math.round(rate)} values a second, ${(100 * cores).toFixed(0)} % of a core`);
      say(`${(bytes / 1e6).toFixed(0)} MB, of which ${(idleBytes / 1e6).toFixed(0)} were there before`);
      return [
        atLeast('OPC UA values a second of 10,000 items at 1 Hz', rate, 0.95 * count),
        { what: 'cores for them', figure: cores.toFixed(2) },
        { what: 'MB of the server meanwhile', figure: (bytes / 1e6).toFixed(0) },
      ];
    });
  } finally {
    await device.stop();
  }
}

function measurements(): string {
  const operations = Array.from({ length: count }, (_, at) => {
    const name = `item${at}`;
    const object = {
      name,
      datatype: 'd',
      connectorName: 'ua',
      address: UaDevice.address(`Item${at}`),
      archMode: 'none',
    };
    return { operation: 'put', family: 'measurements', name, object };
  });
  return JSON.stringify({ operations });
}

async function valuesASecond(server: ServerProcess): Promise<number> {
  const answer = await fetch(`${server.url}/data/connectors/ua`);
  const { 'values-per-second': rate } = (await answer.json()) as { 'values-per-second': number };
  return rate;
}
