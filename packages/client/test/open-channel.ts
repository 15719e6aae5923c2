// A channel to the scripted service, what it is sent of, and how to wait for it.
import type { TestContext } from 'node:test';
import { Channel, type ChannelOptions, type MeasurementUpdate, type Watch } from '../src/channel.ts';
import type { ScriptedService } from './scripted-service.ts';

const vtq = (value: number): MeasurementUpdate['vtq'] => [`d${value}`, [1_700_000_000, value], 192];
export const update = (name: string, value: number) => ({ name, vtq: vtq(value) });

export function open(t: TestContext, service: ScriptedService, options: Partial<ChannelOptions> = {}): Channel {
  const channel = new Channel({ url: service.url, ...options });
  t.after(() => channel.close());
  return channel;
}

/** Resolves at the next change into this state. */
export function entered(channel: Channel, wanted: string): Promise<string> {
  return new Promise((resolve) => {
    const stop = channel.onState((state, reason) => {
      if (state !== wanted) return;
      stop();
      resolve(reason);
    });
  });
}

/** Names and values until there are so many. */
export async function read(watch: Watch<MeasurementUpdate>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const { value } = await watch.next();
    if (value === undefined) break;
    seen.push(...value.updates.map(({ name, vtq: [text], removed }) => `${name}=${removed ? 'removed' : text}`));
  }
  return seen;
}
