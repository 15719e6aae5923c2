// What both sides read: 100,000 registers, half of them holding registers and half input registers, 125 a request.
import { systemClock } from '@telltale/schema';
import { Client } from '../stacks/modbus/src/client.ts';
import { readRequest } from '../stacks/modbus/src/pdu.ts';
import { TcpFraming } from '../stacks/modbus/src/tcp-frame.ts';
import { TcpTransport } from '../stacks/modbus/src/tcp-transport.ts';

export const registersAnArea = 50_000;
export const areas = ['hr', 'ir'] as const;
const registersARequest = 125;

export function allRequests(): Uint8Array[] {
  const starts = Array.from({ length: registersAnArea / registersARequest }, (_, at) => at * registersARequest);
  return areas.flatMap((area) => starts.map((start) => readRequest(area, start, registersARequest)));
}

export async function connectClient(port: number): Promise<Client> {
  const client = new Client({
    transport: new TcpTransport({ host: '127.0.0.1', port, clock: systemClock, isSerialLine: false }),
    framing: new TcpFraming(),
    clock: systemClock,
    timeoutMs: 5000,
    delayMs: 0,
    maxAtOnce: 1,
  });
  await client.connect(new AbortController().signal);
  return client;
}
