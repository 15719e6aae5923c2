// Reads payloads of Sparkplug with an independent decoder, which needs the type of every metric: those that data and commands
// leave out are taken from the birth, as a host application does.
import assert from 'node:assert/strict';
import sparkplug from 'sparkplug-payload';
import proto from 'sparkplug-payload/lib/sparkplugPayloadProto.js';

export const codec = sparkplug.get('spBv1.0') ?? assert.fail('the independent codec is not there');
const { Payload } = proto.org.eclipse.tahu.protobuf;

export class SparkplugDecoder {
  /** By edge node and alias, or device and name. */
  readonly #types = new Map<string, number>();

  decode(topic: string, bytes: Uint8Array) {
    const [, group, kind = '', node, device = ''] = topic.split('/');
    const payload = Payload.decode(bytes);
    for (const metric of payload.metrics ?? []) {
      const byAlias = `${group}/${node} ${metric.alias}`;
      const byName = `${group}/${node}/${device} ${metric.name}`;
      if (kind.endsWith('BIRTH') && metric.datatype) {
        this.#types.set(byName, metric.datatype);
        if (metric.alias) this.#types.set(byAlias, metric.datatype);
      } else metric.datatype ||= this.#types.get(metric.name ? byName : byAlias) ?? 0;
    }
    return codec.decodePayload(Buffer.from(Payload.encode(payload).finish()));
  }
}

/** As it is, field by field: what is not there is not an own property. */
export function decodeRaw(bytes: Uint8Array) {
  return Payload.decode(bytes);
}

export const encodeRaw = (payload: Parameters<typeof Payload.encode>[0]) =>
  Buffer.from(Payload.encode(payload).finish());
