// Makes objects of the configuration from points and alarms that a device was found to have: named, checked by the stack's
// own address check, ready to be put. Those that are configured already are named instead, so that nothing is put twice.
import {
  type Alarm,
  type Command,
  type Datatype,
  type Fault,
  fitValue,
  formatText,
  type Measurement,
  ProblemError,
  parseJson,
} from '@telltale/schema';
import type { Content } from './content.ts';
import { readObject } from './read-objects.ts';
import type { RoleRules } from './stack-rules.ts';
import { UniqueNames } from './unique-names.ts';

interface Found {
  readonly name: string;
  readonly address: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

export interface FoundPoint extends Found {
  readonly datatype: Datatype;
  readonly eu?: string;
  readonly euRange?: readonly [low: number, high: number];
}

export interface FoundAlarm extends Found {
  readonly severity: number;
}

export interface FoundItem {
  readonly measurement: FoundPoint | undefined;
  readonly command: FoundPoint | undefined;
  readonly alarm: FoundAlarm | undefined;
}

/** One of the three. */
export interface Offer<Offered> {
  readonly object: Offered | null;
  /** The object that has the address already. */
  readonly configured: string | null;
  /** Why it cannot be configured. */
  readonly refused: string | null;
}

export interface OfferedItem {
  readonly measurement: Offer<Measurement> | null;
  readonly command: Offer<Command> | null;
  readonly alarm: Offer<Alarm> | null;
}

type Kind = keyof FoundItem;

/** An address of an alarm is checked as that of a `b`. */
const alarmDatatype = 'b';

export function offerObjects(
  content: Content,
  rules: RoleRules,
  connectorName: string,
  items: readonly FoundItem[],
): OfferedItem[] {
  const measurements = new Offers('measurement', content, rules, connectorName, items);
  const commands = new Offers('command', content, rules, connectorName, items);
  const alarms = new Offers('alarm', content, rules, connectorName, items);
  return items.map(({ measurement, command, alarm }) => ({
    measurement: measurement === undefined ? null : measurements.of(measurement, measurement.datatype, pointFields),
    command: command === undefined ? null : commands.of(command, command.datatype, pointFields),
    alarm: alarm === undefined ? null : alarms.of(alarm, alarmDatatype, alarmFields),
  }));
}

class Offers {
  readonly #kind: Kind;
  readonly #rules: RoleRules;
  readonly #connectorName: string;
  readonly #names: UniqueNames;
  /** From address to name. */
  readonly #configured = new Map<string, string>();

  constructor(kind: Kind, content: Content, rules: RoleRules, connectorName: string, items: readonly FoundItem[]) {
    this.#kind = kind;
    this.#rules = rules;
    this.#connectorName = connectorName;
    const objects = content[`${kind}s`];
    this.#names = new UniqueNames((name) => objects.has(name));
    const wanted = new Set(items.flatMap((item) => item[kind]?.address ?? []));
    // In the text first: of very many objects, few are of this connector.
    const mark = `"connectorName":${JSON.stringify(connectorName)}`;
    for (const [name, text] of wanted.size === 0 ? [] : objects) {
      if (!text.includes(mark)) continue;
      const { address, connectorName: reader } = parseJson(text) as Measurement;
      if (reader !== connectorName || address === undefined || !wanted.has(address)) continue;
      if (!this.#configured.has(address)) this.#configured.set(address, name);
    }
  }

  of<F extends Found, Fields extends object>(found: F, datatype: Datatype, fieldsOf: (found: F) => Fields) {
    const configured = this.#configured.get(found.address);
    if (configured !== undefined) return { object: null, configured, refused: null };
    const { address, description, properties } = found;
    const wrong = this.#rules.checkAddress(this.#kind, address, { datatype, ...(properties && { properties }) });
    if (wrong !== undefined) return { object: null, configured: null, refused: wrong };
    const name = this.#names.take(found.name);
    const object = {
      name,
      address,
      ...(description !== undefined && description !== '' && { description }),
      connectorName: this.#connectorName,
      ...fieldsOf(found),
      ...(properties !== undefined && Object.keys(properties).length > 0 && { properties }),
    };
    const refused = this.#refusal(name, object);
    return refused === undefined
      ? { object, configured: null, refused: null }
      : { object: null, configured: null, refused };
  }

  /** Why it could not be put: whatever a stack says goes through the check that a person's object goes through. */
  #refusal(name: string, object: object): string | undefined {
    const faults: Fault[] = [];
    try {
      readObject(`${this.#kind}s`, name, object, '', faults);
    } catch (error) {
      if (error instanceof ProblemError) return error.message;
      throw error;
    }
    const [first] = faults;
    return first && `${first.path} ${first.message}`;
  }
}

function pointFields({ datatype, eu, euRange }: FoundPoint) {
  return {
    datatype,
    ...(eu !== undefined && eu !== '' && { eu }),
    ...(euRange !== undefined && rangeTexts(datatype, euRange)),
  };
}

function alarmFields({ severity }: FoundAlarm) {
  return { severity };
}

/** Nothing where the datatype cannot hold it: the object could not be rendered. */
function rangeTexts(datatype: Datatype, [low, high]: readonly [number, number]): object {
  const ends = [low, high].map((end) => fitValue(datatype, end));
  if (low >= high || ends.some((end) => typeof end !== 'number' && typeof end !== 'bigint')) return {};
  const [euRangeLo, euRangeHi] = ends.map((end) => formatText(datatype, end as number | bigint));
  return { euRangeLo, euRangeHi };
}
