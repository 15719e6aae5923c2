// An edge node of ours at a real broker, with what it publishes as an independent decoder reads it.
import { LinkedProvider, type LinkedProviderOptions } from './linked-provider.ts';
import type { Heard, Mosquitto } from './mosquitto.ts';
import { codec, SparkplugDecoder } from './sparkplug-decoder.ts';

export interface CommandMetric {
  readonly name?: string;
  readonly alias?: number;
  readonly type: string;
  readonly value: unknown;
  readonly isHistorical?: boolean;
}

/** Variables, and the rest. */
export type EdgeNodeSettings = [vars?: Record<string, string>, options?: Partial<LinkedProviderOptions>];

export async function startEdgeNode(
  t: { after: (call: () => unknown) => void },
  broker: Mosquitto,
  folder: string,
  ...[vars = {}, options = {}]: EdgeNodeSettings
) {
  const own = { port: `${broker.port}`, format: 'sparkplug', group: 'Plant', ...vars };
  const p = new LinkedProvider({ vars: own, folder, ...options });
  t.after(() => p.stop());
  const heard = await broker.sub(`spBv1.0/${own.group}/#`);
  t.after(() => heard.stop());
  return { p, heard };
}

/** Metrics by name, or `#` and alias. */
export function readHeard(heard: Heard) {
  const decoder = new SparkplugDecoder();
  return heard.messages.map(({ topic, payload, qos, isRetained }) => {
    const { seq, metrics = [] } = decoder.decode(topic, payload);
    const by = new Map((metrics ?? []).map((metric) => [metric.name || `#${metric.alias}`, metric]));
    const kind = topic.split('/').slice(2).join('/');
    return { kind, seq: seq === undefined || seq === null ? undefined : Number(seq), by, qos, isRetained };
  });
}

export function sendCommand(broker: Mosquitto, topic: string, metrics: readonly CommandMetric[]): Promise<void> {
  return broker.pub(topic, Buffer.from(codec.encodePayload({ timestamp: Date.now(), metrics: metrics as never })));
}
