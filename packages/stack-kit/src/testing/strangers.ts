// Clients that nobody wants: they talk nonsense, or nearly sense, or nothing, and leave as they like.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint, Transport } from './conformance-world.ts';
import type { FaultDice } from './fault.ts';

/** A stranger has so long to be answered, or sent away. */
const stayMs = 10;
const maxNonsense = 1200;

/** Some nonsense, or nothing. */
export function nonsense(dice: FaultDice): Buffer[] {
  const length = dice.below(3) * dice.below(maxNonsense / 2);
  return length === 0 ? [] : [Buffer.from(Uint8Array.from({ length }, () => dice.below(256)))];
}

/** A conversation up to some place, where it goes wrong; now and then several pieces of it come as one. */
export function nearlySense(conversation: readonly Buffer[], dice: FaultDice): Buffer[] {
  const chunks = conversation.slice(0, 1 + dice.below(conversation.length));
  for (let wrongs = 1 + dice.below(3); wrongs > 0; wrongs--) {
    // The last ones are the most telling: what came before them was taken.
    const at = chunks.length - 1 - dice.below(Math.min(2, chunks.length));
    const chunk = chunks[at];
    if (chunk === undefined || chunk.length === 0) continue;
    chunks[at] = dice.mangled(chunk);
  }
  return dice.below(3) === 0 ? [Buffer.concat(chunks)] : chunks;
}

/** Comes, says this, and goes, in order or not. */
export async function visit(
  transport: Transport,
  endpoint: Endpoint,
  said: readonly Buffer[],
  dice: FaultDice,
): Promise<void> {
  if (transport === 'udp') await send(endpoint, said);
  else await talk(endpoint, said, dice);
}

/** Takes whatever comes, and waits for the end. */
export async function wait({ host, port }: Endpoint): Promise<Socket> {
  const socket = createConnection({ host, port }).on('error', () => {});
  await once(socket, 'connect');
  return socket.resume();
}

async function talk({ host, port }: Endpoint, said: readonly Buffer[], dice: FaultDice): Promise<void> {
  const socket = createConnection({ host, port, noDelay: true }).on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const connected = new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.resume();
  await Promise.race([connected, closed]);
  for (const bytes of said) {
    if (!socket.writable) break;
    await Promise.race([new Promise((resolve) => socket.write(bytes, resolve)), closed]);
  }
  if (said.length > 0) await Promise.race([sleep(stayMs), closed]);
  if (dice.below(2) === 0) socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

async function send({ host, port }: Endpoint, said: readonly Buffer[]): Promise<void> {
  const socket = createSocket('udp4').on('error', () => {});
  for (const bytes of said) await new Promise((resolve) => socket.send(bytes, port, host, resolve));
  // What comes faster than it can be read, the system throws away, the datagrams of others with it.
  await sleep(1);
  await new Promise<void>((resolve) => socket.close(() => resolve()));
}
