// The plant of the tests of scopes: the same objects in the areas north and south, whose names differ in their first letter.
// Of what begins with x there is nothing.
import { createServer } from 'node:net';
import type { Operation } from '@telltale/schema';
import { put } from './live-plant.ts';

/** In view, out of view, and not there; names of one length. */
export const sides = ['n', 's', 'x'] as const;
export type Side = (typeof sides)[number];

export async function scopedPlant(): Promise<Operation[]> {
  const ofSide = async (side: 'n' | 's', area: string): Promise<Operation[]> => [
    put('connectors', `${side}_link`, { stackName: 'simulator', vars: { scanPeriodMs: '50' }, properties: { area } }),
    put('providers', `${side}_out`, {
      stackName: 'modbus',
      vars: { port: String(await freePort()) },
      properties: { area },
    }),
    put('measurements', `${side}_level`, { datatype: 'd', area, archMode: 'change' }),
    put('measurements', `${side}_flow`, { datatype: 'd', area, connectorName: `${side}_link`, address: 'echo(flow)' }),
    put('commands', `${side}_valve`, { datatype: 'd', area, archMode: 'change' }),
    put('alarms', `${side}_high`, { severity: 1, area, archMode: 'change' }),
    put('pictures', `${side}_view`, { svg: `<svg><text data-tt-point="${side}_level"/></svg>`, area }),
    put('trends', `${side}_day`, { pens: [{ kind: 'measurements', name: `${side}_level` }], area }),
    put('function-modules', `${side}_calc`, {
      executable: 'calc.js',
      enabled: false,
      termToKill: 1000,
      queryTimeout: 0,
      properties: { area },
    }),
  ];
  return [
    ...(await ofSide('n', 'north.pumps')),
    ...(await ofSide('s', 'south')),
    put('measurements', 'free', { datatype: 'd' }),
  ];
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
