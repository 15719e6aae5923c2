// Reads the bytes of a payload of Sparkplug B. What anybody sends is bounded in number and depth. Pure.
import type { Value } from '@telltale/schema';
import {
  type DataSet,
  isTemplate,
  type Metric,
  type MetricValue,
  metricsByName,
  metricType,
  type Properties,
  type Property,
  type SparkplugPayload,
  type Template,
} from './metric.ts';
import { ProtobufReader } from './protobuf.ts';

/** What the birth says of a metric: data names it by its alias, and leaves its type out. */
export type KnownMetric = (name: string | undefined, alias: number | undefined) => Metric | undefined;

export interface DecodeOptions {
  readonly known?: KnownMetric;
  /** By name: members of an instance may leave to it what they are. */
  readonly definition?: (name: string) => Template | undefined;
}

/** More metrics, members, cells, properties and parameters together are not read. */
const maxItems = 100_000;
/** Of templates and of property sets in one another. */
const maxDepth = 8;

/** Throws where the bytes are no payload. Values are as the metric's type says, or else the birth. */
export function decodePayload(bytes: Uint8Array, options: DecodeOptions = {}): SparkplugPayload {
  return new PayloadDecoder(options).payload(new ProtobufReader(bytes));
}

class PayloadDecoder {
  readonly #options: DecodeOptions;
  #items = 0;
  /** Many instances share what their members are. */
  readonly #aliases = new Map<Template, Map<number, Metric>>();

  constructor(options: DecodeOptions) {
    this.#options = options;
  }

  payload(reader: ProtobufReader): SparkplugPayload {
    const { known = () => undefined } = this.#options;
    const metrics: Metric[] = [];
    let timestampMs: number | undefined;
    let seq: number | undefined;
    for (let at = reader.next(); at !== undefined; at = reader.next()) {
      if (at === 1) timestampMs = Number(reader.varint());
      else if (at === 3) seq = Number(reader.varint());
      else if (at === 2) metrics.push(this.#metric(new ProtobufReader(reader.bytes()), known, 0));
      else reader.skip();
    }
    return { timestampMs, seq, metrics };
  }

  #metric(reader: ProtobufReader, known: KnownMetric, depth: number): Metric {
    this.#count();
    let name: string | undefined;
    let alias: number | undefined;
    let timestampMs: number | undefined;
    let type: number | undefined;
    let isHistorical = false;
    let isNull = false;
    let properties: Properties | undefined;
    let value: MetricValue | undefined;
    let template: Uint8Array | undefined;
    for (let at = reader.next(); at !== undefined; at = reader.next()) {
      if (at === 1) name = reader.text();
      else if (at === 2) alias = Number(reader.varint());
      else if (at === 3) timestampMs = Number(reader.varint());
      else if (at === 4) type = reader.uint32();
      else if (at === 5) isHistorical = reader.boolean();
      else if (at === 7) isNull = reader.boolean();
      else if (at === 9) properties = this.#properties(new ProtobufReader(reader.bytes()), depth);
      else if (at >= 10 && at <= 15) value = readValue(reader, at - 10);
      else if (at === 16) value = reader.bytes();
      else if (at === 17) value = this.#dataSet(new ProtobufReader(reader.bytes()));
      else if (at === 18) template = reader.bytes();
      else reader.skip();
    }
    const born = known(name || undefined, alias);
    const own = type ?? born?.type;
    if (isNull) value = undefined;
    else if (template !== undefined) value = this.#template(new ProtobufReader(template), born, depth + 1);
    else if (typeof value !== 'object') value = signed(value, own);
    return { name: name || born?.name, alias, timestampMs, type, isHistorical, isNull, properties, value };
  }

  #template(reader: ProtobufReader, born: Metric | undefined, depth: number): Template {
    if (depth > maxDepth) throw new RangeError(`templates of more than ${maxDepth} levels`);
    const members: Uint8Array[] = [];
    const parameters = new Map<string, Property>();
    let ref: string | undefined;
    let isDefinition = false;
    for (let at = reader.next(); at !== undefined; at = reader.next()) {
      if (at === 2) members.push(reader.bytes());
      else if (at === 3) parameters.set(...this.#parameter(new ProtobufReader(reader.bytes())));
      else if (at === 4) ref = reader.text();
      else if (at === 5) isDefinition = reader.boolean();
      else reader.skip();
    }
    const lives = isTemplate(born?.value) ? born.value : undefined;
    const defined = ref === undefined ? undefined : this.#options.definition?.(ref);
    // What was born counts before what was defined.
    const known: KnownMetric = (...asked) => this.#member(lives, ...asked) ?? this.#member(defined, ...asked);
    const read = members.map((bytes) => this.#metric(new ProtobufReader(bytes), known, depth));
    return {
      kind: 'template',
      isDefinition,
      ref,
      members: read,
      byName: metricsByName(read),
      ...(parameters.size > 0 && { parameters }),
    };
  }

  #parameter(reader: ProtobufReader): [string, Property] {
    this.#count();
    let name = '';
    let type: number | undefined;
    let value: Value | undefined;
    for (let at = reader.next(); at !== undefined; at = reader.next()) {
      if (at === 1) name = reader.text();
      else if (at === 2) type = reader.uint32();
      else if (at >= 3 && at <= 8) value = readValue(reader, at - 3);
      else reader.skip();
    }
    return [name, { type, value: signed(value, type) }];
  }

  #dataSet(reader: ProtobufReader): DataSet {
    const columns: string[] = [];
    const types: number[] = [];
    const rows: Uint8Array[] = [];
    for (let at = reader.next(); at !== undefined; at = reader.next()) {
      if (at === 2) columns.push(reader.text());
      else if (at === 3) types.push(...reader.uint32s());
      else if (at === 4) rows.push(reader.bytes());
      else reader.skip();
      if (at <= 4) this.#count();
    }
    return { kind: 'dataSet', columns, types, rows: rows.map((bytes) => this.#row(new ProtobufReader(bytes), types)) };
  }

  #row(reader: ProtobufReader, types: readonly number[]): (Value | undefined)[] {
    const cells: (Value | undefined)[] = [];
    for (let at = reader.next(); at !== undefined; at = reader.next()) {
      if (at !== 1) {
        reader.skip();
        continue;
      }
      this.#count();
      const cell = new ProtobufReader(reader.bytes());
      let value: Value | undefined;
      for (let field = cell.next(); field !== undefined; field = cell.next()) {
        if (field <= 6) value = readValue(cell, field - 1);
        else cell.skip();
      }
      cells.push(signed(value, types[cells.length]));
    }
    return cells;
  }

  #properties(reader: ProtobufReader, depth: number): Properties {
    if (depth > maxDepth) throw new RangeError(`property sets of more than ${maxDepth} levels`);
    const keys: string[] = [];
    const values: Property[] = [];
    for (let at = reader.next(); at !== undefined; at = reader.next()) {
      if (at === 1) keys.push(reader.text());
      else if (at === 2) values.push(this.#property(new ProtobufReader(reader.bytes()), depth));
      else reader.skip();
      if (at <= 2) this.#count();
    }
    const properties = new Map<string, Property>();
    for (let at = 0; at < Math.min(keys.length, values.length); at++) {
      properties.set(keys[at] as string, values[at] as Property);
    }
    return properties;
  }

  #property(reader: ProtobufReader, depth: number): Property {
    let type: number | undefined;
    let isNull = false;
    let value: Value | Properties | undefined;
    for (let at = reader.next(); at !== undefined; at = reader.next()) {
      if (at === 1) type = reader.uint32();
      else if (at === 2) isNull = reader.boolean();
      else if (at >= 3 && at <= 8) value = readValue(reader, at - 3);
      else if (at === 9) value = this.#properties(new ProtobufReader(reader.bytes()), depth + 1);
      else reader.skip();
    }
    return { type, value: isNull ? undefined : typeof value === 'object' ? value : signed(value, type) };
  }

  #member(template: Template | undefined, name: string | undefined, alias: number | undefined): Metric | undefined {
    if (template === undefined) return undefined;
    if (name !== undefined) return (template.byName ?? metricsByName(template.members)).get(name);
    if (alias === undefined) return undefined;
    let aliases = this.#aliases.get(template);
    if (aliases === undefined) {
      aliases = new Map(
        template.members.flatMap((member) => (member.alias === undefined ? [] : [[member.alias, member]])),
      );
      this.#aliases.set(template, aliases);
    }
    return aliases.get(alias);
  }

  #count(): void {
    if (++this.#items > maxItems) throw new RangeError(`more than ${maxItems} metrics, cells and properties`);
  }
}

/** The forms of a value stand in the same order wherever there is one. */
function readValue(reader: ProtobufReader, which: number): Value | undefined {
  switch (which) {
    case 0:
      return reader.uint32();
    case 1:
      return reader.varint();
    case 2:
      return reader.float();
    case 3:
      return reader.double();
    case 4:
      return reader.boolean();
    default:
      return reader.text();
  }
}

/** Integers cross without their sign. Peers put 8 and 16 bits into 32 with the sign spread, or without. */
function signed(raw: Value | undefined, type: number | undefined): Value | undefined {
  if (typeof raw === 'number') {
    if (type === metricType.int8) return (raw << 24) >> 24;
    if (type === metricType.int16) return (raw << 16) >> 16;
    if (type === metricType.int32) return raw | 0;
  }
  return typeof raw === 'bigint' && type === metricType.int64 ? BigInt.asIntN(64, raw) : raw;
}
