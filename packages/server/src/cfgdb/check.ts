// Checks a configuration as a whole before it is rendered: references, addresses against their stack, texts against
// datatypes, addresses that two objects claim, function modules. Finds everything that is wrong, not the first thing.
import {
  type Alarm,
  type Command,
  type Connector,
  confirmFaults,
  type Datatype,
  datatypes,
  durationForms,
  type Family,
  type FunctionModule,
  type Measurement,
  maxPrecision,
  meantNumber,
  type Provider,
  parseDuration,
  parseJson,
  parseMilliseconds,
  parsePrecision,
  parseText,
  pointerPart,
  precisionProperty,
  type Trend,
  traitsOf,
  type Value,
  ValueError,
} from '@telltale/schema';
import { checkModule } from './check-module.ts';
import { checkTrend } from './check-trend.ts';
import type { CheckedFault, Named, ObjectName } from './checked-fault.ts';
import { circlesIn } from './circles-in.ts';
import { ConfiguredSecrets } from './configured-secrets.ts';
import type { Content } from './content.ts';
import type { AddressKind, CheckedPoint, RoleRules, StackRules } from './stack-rules.ts';

type Role = 'connector' | 'provider';
type PointKind = 'measurement' | 'command';
type Point = Measurement & Command;
type AddressedPoint = CheckedPoint & Pick<Point, 'name' | 'connectorName' | 'address'>;
type Report = (field: string, message: string, named?: Named) => void;

const umaskWatchdog = 1;
const umaskLimits = 32;
const quantities = datatypes.filter((datatype) => traitsOf(datatype).isQuantity);
const booleans = datatypes.filter((datatype) => traitsOf(datatype).isBoolean);
/** `i, l, f and d`; Intl.ListFormat would load 4.5 MB of data for it. */
const listedQuantities = `${quantities.slice(0, -1).join(', ')} and ${quantities.at(-1)}`;

/** Objects of the content that the caller has parsed already. */
export type ParsedObjects = { readonly [F in Family]?: ReadonlyMap<string, object> };

export function checkConfiguration(
  content: Content,
  stacks: ReadonlyMap<string, StackRules>,
  parsed: ParsedObjects = {},
  secrets = new ConfiguredSecrets([], stacks.values()),
): CheckedFault[] {
  return new Check(content, stacks, parsed, secrets).run();
}

class Check {
  readonly #content: Content;
  readonly #stacks: ReadonlyMap<string, StackRules>;
  readonly #parsed: ParsedObjects;
  readonly #secrets: ConfiguredSecrets;
  readonly #faults: CheckedFault[] = [];
  readonly #rules = { connectors: new Map<string, RoleRules>(), providers: new Map<string, RoleRules>() };
  /** Which connector or provider a watchdog measurement belongs to. */
  readonly #watchdogs = new Map<string, { readonly role: Role; readonly name: string }>();
  /** From a connector to the other one that its watchdog measurement comes from, and is lost with. */
  readonly #watchedFrom = new Map<string, string>();
  /** By provider, which object has an address. */
  readonly #claims = new Map<string, Map<string, ObjectName>>();
  /** From `family/name` to the `family/name` that leads it. */
  readonly #leaders = new Map<string, string>();

  constructor(
    content: Content,
    stacks: ReadonlyMap<string, StackRules>,
    parsed: ParsedObjects,
    secrets: ConfiguredSecrets,
  ) {
    this.#secrets = secrets;
    this.#content = content;
    this.#stacks = stacks;
    this.#parsed = parsed;
  }

  run(): CheckedFault[] {
    for (const each of this.#objects<Connector>('connectors')) this.#instance('connectors', 'connector', each);
    this.#watchdogCircles();
    for (const each of this.#objects<Provider>('providers')) this.#instance('providers', 'provider', each);
    for (const each of this.#objects<Measurement>('measurements')) this.#point('measurements', 'measurement', each);
    for (const each of this.#objects<Command>('commands')) this.#point('commands', 'command', each);
    this.#leaderCircles();
    for (const alarm of this.#objects<Alarm>('alarms')) this.#alarm(alarm);
    for (const each of this.#objects<FunctionModule>('function-modules')) {
      checkModule(each, this.#reporter('function-modules', each.name));
    }
    for (const trend of this.#objects<Trend>('trends')) checkTrend(trend, this.#reporter('trends', trend.name));
    return this.#faults;
  }

  /** One at a time, so that a large configuration is not held twice. */
  *#objects<T>(family: Family): Generator<T> {
    const atHand = this.#parsed[family];
    for (const [name, text] of this.#content[family]) yield (atHand?.get(name) ?? parseJson(text)) as T;
  }

  #measurement(name: string): Measurement | undefined {
    const text = this.#content.measurements.get(name);
    return text === undefined ? undefined : (parseJson(text) as Measurement);
  }

  #reporter(family: Family, name: string): Report {
    return (field, message, named) =>
      this.#faults.push({
        path: `/${family}/${name}/${field}`,
        message,
        family,
        name,
        field: field.split('/')[0] as string,
        ...(named && { named }),
      });
  }

  #instance(family: 'connectors' | 'providers', role: Role, instance: Connector | Provider): void {
    const report = this.#reporter(family, instance.name);
    if (instance.stackName === undefined) {
      report('stackName', 'is required: name the stack that it runs');
    } else {
      const rules = this.#stacks.get(instance.stackName)?.[role];
      if (rules === undefined) report('stackName', `there is no ${role} stack ${quoted(instance.stackName)}`);
      else {
        this.#rules[family].set(instance.name, rules);
        const { vars, hide } = this.#secrets.opened(role, instance);
        const { faults } = rules.readVariables(vars);
        for (const { field, message } of faults) report(`vars/${pointerPart(field)}`, hide(message));
      }
    }
    this.#watchdog(role, instance, report);
  }

  #watchdog(role: Role, { name, wdtMeasurement }: Connector | Provider, report: Report): void {
    if (wdtMeasurement === undefined) return;
    const measurement = this.#measurement(wdtMeasurement);
    if (measurement === undefined) report('wdtMeasurement', `there is no measurement ${quoted(wdtMeasurement)}`);
    else {
      const { datatype, connectorName, address, stackUmask = 0, enabled = true } = measurement;
      if (!booleans.includes(datatype)) {
        report('wdtMeasurement', `${wdtMeasurement} has datatype ${datatype}; a watchdog is ${booleans.join(' or ')}`);
      }
      const isLinked = enabled && address !== undefined && (stackUmask & umaskWatchdog) === 0;
      if (role === 'connector' && isLinked && connectorName !== undefined && connectorName !== name) {
        this.#watchedFrom.set(name, connectorName);
      }
    }
    const other = this.#watchdogs.get(wdtMeasurement);
    if (other !== undefined) {
      const objects = [{ family: `${other.role}s` as Family, name: other.name }];
      const otherwise = `${wdtMeasurement} is the watchdog of something else already`;
      const message = `${wdtMeasurement} is the watchdog of ${other.role} ${other.name} already`;
      report('wdtMeasurement', message, { objects, otherwise });
    }
    this.#watchdogs.set(wdtMeasurement, { role, name });
  }

  #point(family: 'measurements' | 'commands', kind: PointKind, point: Point): void {
    const report = this.#reporter(family, point.name);
    this.#address(family, kind, point, report);
    this.#providerAddresses(family, kind, point, report);
    this.#leader(family, point, report);
    checkTexts(point, report);
    checkRetention(point, report);
    checkPrecision(point, report);
    if (kind === 'command') checkConfirm(point, report);
  }

  #address(family: Family, kind: AddressKind, point: AddressedPoint, report: Report): void {
    const { name, connectorName, address } = point;
    if (connectorName === undefined) return;
    if (!this.#content.connectors.has(connectorName)) {
      report('connectorName', `there is no connector ${quoted(connectorName)}`);
      return;
    }
    const drivenByService = family === 'measurements' && this.#watchdogs.has(name);
    if (address === undefined && drivenByService) return;
    const wrong = this.#rules.connectors.get(connectorName)?.checkAddress(kind, address ?? '', point);
    if (wrong !== undefined) report('address', wrong);
  }

  #providerAddresses(family: Family, kind: PointKind, point: Point, report: Report): void {
    for (const [provider, address] of Object.entries(point.providerAddresses ?? {})) {
      const field = `providerAddresses/${pointerPart(provider)}`;
      if (!this.#content.providers.has(provider)) {
        report(field, `there is no provider ${quoted(provider)}`);
        continue;
      }
      const wrong = this.#rules.providers.get(provider)?.checkAddress(kind, address, point);
      if (wrong !== undefined) report(field, wrong);
      const claims = this.#claims.get(provider) ?? new Map<string, ObjectName>();
      this.#claims.set(provider, claims);
      const owner = claims.get(address);
      const has = `has the address ${quoted(address)} at this provider already`;
      if (owner === undefined) claims.set(address, { family, name: point.name });
      else
        report(field, `${owner.family}/${owner.name} ${has}`, { objects: [owner], otherwise: `something else ${has}` });
    }
  }

  #leader(family: Family, { name, leader }: Point, report: Report): void {
    if (leader === undefined) return;
    const leading = (['measurements', 'commands'] as const).find((other) => this.#content[other].has(leader));
    if (leading === undefined) report('leader', `there is no measurement or command ${quoted(leader)}`);
    else this.#leaders.set(`${family}/${name}`, `${leading}/${leader}`);
  }

  /** Connectors that wait for each other's watchdogs are never trusted, and never come up. */
  #watchdogCircles(): void {
    for (const circle of circlesIn(this.#watchedFrom)) {
      for (const name of circle) {
        const others = [...circle.slice(circle.indexOf(name) + 1), ...circle.slice(0, circle.indexOf(name))];
        const way = `comes from ${[...others, 'this connector'].join(', whose watchdog comes from ')}`;
        const remedy = `set bit ${umaskWatchdog} of stackUmask of one of these watchdogs, or take another one`;
        const objects = others.map((other) => ({ family: 'connectors' as const, name: other }));
        const otherwise = `comes from connectors whose watchdogs come from this one: none would ever come up; ${remedy}`;
        const report = this.#reporter('connectors', name);
        report('wdtMeasurement', `${way}: none would ever come up; ${remedy}`, { objects, otherwise });
      }
    }
  }

  /** A leader that follows its own followers would archive for ever. */
  #leaderCircles(): void {
    for (const follower of circlesIn(this.#leaders).flat()) {
      const [family, name] = follower.split('/') as [Family, string];
      this.#reporter(family, name)('leader', 'follows this object itself: a circle of leaders');
    }
  }

  /** A trigger here, or a device; or neither: then only people raise it. */
  #source({ name, connectorName, address = '', properties }: Alarm, report: Report): void {
    if (connectorName === undefined) {
      if (address !== '') report('address', 'has no effect without connectorName');
      return;
    }
    this.#address(
      'alarms',
      'alarm',
      { name, datatype: 'b', connectorName, address, ...(properties && { properties }) },
      report,
    );
  }

  #alarm(alarm: Alarm): void {
    const { connectorName, trgMeasurement, trgOperator, trgRefValue, trgHysteresis } = alarm;
    const isOfDevice = connectorName !== undefined;
    const report = this.#reporter('alarms', alarm.name);
    checkDelays(alarm, report);
    checkRetention(alarm, report);
    this.#source(alarm, report);
    if (trgMeasurement === undefined || isOfDevice) {
      const why = isOfDevice
        ? 'cannot be combined with connectorName: the device raises the alarm'
        : 'has no effect without trgMeasurement';
      for (const [field, value] of Object.entries({ trgOperator, trgRefValue, trgHysteresis })) {
        if (value !== undefined) report(field, why);
      }
    } else {
      if (trgOperator === undefined) report('trgOperator', 'is required with trgMeasurement');
      if (trgRefValue === undefined) report('trgRefValue', 'is required with trgMeasurement');
    }
    if (trgMeasurement === undefined) return;
    const datatype = this.#measurement(trgMeasurement)?.datatype;
    if (datatype === undefined) {
      report('trgMeasurement', `there is no measurement ${quoted(trgMeasurement)}`);
      return;
    }
    if (isOfDevice) return;
    read(datatype, 'trgRefValue', trgRefValue, report);
    checkSpan(datatype, 'trgHysteresis', trgHysteresis, report);
  }
}

/** How long the condition of a trigger must hold. */
function checkDelays({ properties = {} }: Alarm, report: Report): void {
  for (const field of ['onDelay', 'offDelay']) {
    const text = Object.hasOwn(properties, field) ? properties[field] : undefined;
    if (text === undefined || parseMilliseconds(text) !== undefined) continue;
    report(`properties/${field}`, `must be a whole number of milliseconds, of at most 12 digits, or ${durationForms}`);
  }
}

/** How long the archive keeps the records of the object. */
function checkRetention({ properties = {} }: Point | Alarm, report: Report): void {
  const text = Object.hasOwn(properties, 'archRetention') ? properties.archRetention : undefined;
  if (text === undefined || parseDuration(text) !== undefined) return;
  report('properties/archRetention', `must be ${durationForms}`);
}

/** Who has to confirm a write. */
function checkConfirm({ properties }: Command, report: Report): void {
  for (const { property, message } of confirmFaults(properties)) report(`properties/${property}`, message);
}

/** How many decimals people are shown. */
function checkPrecision({ properties = {} }: Point, report: Report): void {
  const text = Object.hasOwn(properties, precisionProperty) ? properties[precisionProperty] : undefined;
  if (text === undefined || parsePrecision(text) !== undefined) return;
  report(`properties/${precisionProperty}`, `must be a number of decimals: 0 to ${maxPrecision}`);
}

/** Of the eu-range. */
const shareForm = /^(\d+(?:\.\d+)?)%$/;

/** The texts of a point that are values of its datatype or of its raw datatype. */
function checkTexts(point: Point, report: Report): void {
  const { datatype, rawDatatype = datatype, stackUmask = 0 } = point;
  checkRange(rawDatatype, 'rawRangeLo', 'rawRangeHi', point, report);
  const range = checkRange(datatype, 'euRangeLo', 'euRangeHi', point, report);
  const initial = read(datatype, 'initialValue', point.initialValue, report);
  if (initial !== undefined && range !== undefined && (stackUmask & umaskLimits) === 0) {
    const [low, high] = range;
    const { compare } = traitsOf(datatype);
    const isWithin = compare(initial, low) >= 0 && compare(initial, high) <= 0;
    if (!isWithin) report('initialValue', `must be within the eu-range, ${low} to ${high}`);
  }
  const share = quantities.includes(datatype) ? point.deadband?.match(shareForm) : undefined;
  const meant = share === null ? meantNumber(point.deadband ?? '') : undefined;
  if (meant !== undefined && shareForm.test(meant))
    report('deadband', `${quoted(point.deadband ?? '')}: write ${meant}`);
  else if (share === undefined || share === null) checkSpan(datatype, 'deadband', point.deadband, report);
  else if (Number(share[1]) > 100) report('deadband', 'must be at most 100%');
  else if (range === undefined) report('deadband', 'a share needs euRangeLo and euRangeHi');
  checkSpan(datatype, 'archValueDeadband', point.archValueDeadband, report);
}

/** The ends in rising order, where both are set and good; a range may run downwards, but not stand still. */
function checkRange(
  datatype: Datatype,
  lowField: 'rawRangeLo' | 'euRangeLo',
  highField: 'rawRangeHi' | 'euRangeHi',
  point: Point,
  report: Report,
): [Value, Value] | undefined {
  const [lowText, highText] = [point[lowField], point[highField]];
  const { lowest, compare } = traitsOf(datatype);
  if (lowest === undefined) {
    if (lowText !== undefined) report(lowField, 'a text has no range');
    if (highText !== undefined) report(highField, 'a text has no range');
    return undefined;
  }
  const low = read(datatype, lowField, lowText, report);
  const high = read(datatype, highField, highText, report);
  if (low === undefined || high === undefined) return undefined;
  const order = compare(low, high);
  if (order === 0) report(highField, `must differ from ${lowField}`);
  return order < 0 ? [low, high] : [high, low];
}

/** A distance between values: a number of the datatype, not negative. */
function checkSpan(datatype: Datatype, field: string, text: string | undefined, report: Report): void {
  if (text === undefined) return;
  if (!quantities.includes(datatype)) {
    report(field, `has no meaning for datatype ${datatype}; only for ${listedQuantities}`);
    return;
  }
  const span = read(datatype, field, text, report);
  if (span !== undefined && Number(span) < 0) report(field, 'must not be negative');
}

function read(datatype: Datatype, field: string, text: string | undefined, report: Report): Value | undefined {
  if (text === undefined) return undefined;
  try {
    return parseText(datatype, text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const meant = meantNumber(text);
    const isGood = meant !== undefined && meant !== text && isText(datatype, meant);
    report(field, isGood ? `${error.message}: write ${meant}` : error.message);
    return undefined;
  }
}

function isText(datatype: Datatype, text: string): boolean {
  try {
    parseText(datatype, text);
    return true;
  } catch {
    return false;
  }
}

/** As people read it: a name that is not an identifier is shown with its quotes and escapes. */
function quoted(name: string): string {
  return JSON.stringify(name);
}
