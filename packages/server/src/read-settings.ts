// Reads the settings of the server from its command line and environment, says what is wrong with them, and prints the help.
import {
  booleanForms,
  checker,
  type DurationUnit,
  durationForms,
  knownTimeZone,
  parseBoolean,
  parseDuration,
  parseDurationIn,
  programsFault,
  type SettingSource,
} from '@telltale/schema';
import type { TSchema } from 'typebox';
import { enrolledSettings } from './enrolled-settings.ts';
import { type SettingName, type SettingSources, Settings, wantsTls } from './settings.ts';
import { addressFault } from './store/index.ts';

/** The fault of a setting, for the person who starts the server. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}

/** What a pattern expects, in words. */
const forms: Partial<Record<SettingName, string>> = {
  'data-path': 'must be a path such as /data',
  'channel-path': 'must be a path such as /data/ws',
  'config-path': 'must be a path such as /config/v2',
  'access-path': 'must be a path such as /access',
  bus: 'must be an address such as nats://127.0.0.1 or tls://bus.example:4222, without a user and password',
  'bus-public': 'must be an address such as tls://bus.example:4222, without a user and password',
  lease: 'must be an address such as etcd://10.0.0.1,10.0.0.2,10.0.0.3/plant, without a password',
  'archive-retention': `must be a duration such as 90d: ${durationForms}`,
  'store-retention': `must be a duration such as 365d: ${durationForms}`,
  'public-url': 'must be an address of https without a path, such as https://plant.example',
  'audit-retention': `must be a duration such as 365d: ${durationForms}`,
  'audit-syslog': 'must be an address such as tls://log.example:6514, tcp://10.0.0.1 or udp://log.example',
  'time-zone': 'must be a time zone such as Europe/Vienna or UTC',
  'module-user': 'must be own, server, or the name or uid[:gid] of a user',
};

function formOf(name: SettingName): string | undefined {
  const { type, unit } = Settings.properties[name] as { type?: string; unit?: DurationUnit };
  if (type === 'boolean') return `must be ${booleanForms}`;
  if (unit !== undefined) return `must be a number of milliseconds, or ${durationForms}`;
  if (sizes.has(name)) return 'must be a number of bytes, or such as 64M, 10G or 1T';
  return type === 'integer' ? 'must be an integer' : forms[name];
}

interface SettingFault {
  readonly path: string;
  readonly message: string;
}

/** What the schema cannot say: of one setting, and of some together. */
function faultOf(given: Settings): SettingFault | undefined {
  const { 'public-url': publicUrl } = given;
  const retention = (['archive-retention', 'store-retention', 'audit-retention'] as const).find((name) => {
    const text = given[name];
    return text !== undefined && parseDuration(text) === undefined;
  });
  if (retention !== undefined) return { path: `/${retention}`, message: 'is none' };
  const { 'time-zone': zone } = given;
  if (zone !== undefined && knownTimeZone(zone) === undefined) return { path: '/time-zone', message: 'is none' };
  const store = given.store === undefined ? undefined : addressFault(given.store);
  if (store !== undefined) return { path: '/store', message: store };
  const programs = programsFault(given['confirm-except'] ?? '');
  if (programs !== undefined) return { path: '/confirm-except', message: programs };
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) return { path: '/public-url', message: 'is none' };
  return undefined;
}

/** An address that may have a password in it is not shown. */
const withLogin = /:\/\/[^/]*@/;

/** Settings of TLS that are nothing without the other. */
const needed: readonly (readonly [SettingName, SettingName])[] = [
  ['tls-cert', 'tls-key'],
  ['tls-key', 'tls-cert'],
  ['tls-client-crl', 'tls-client-ca'],
  ['store-retention', 'store'],
  ['bus-cert', 'bus-key'],
  ['bus-key', 'bus-cert'],
  ['bus-role', 'bus'],
  ['bus-public', 'bus'],
  ['lease', 'site'],
  ['lease-password-file', 'lease'],
  ['node', 'lease'],
];

function checkTogether(given: Settings): void {
  for (const [name, other] of needed) {
    if (given[name] !== undefined && given[other] === undefined) {
      throw new BadSetting(`--${name} needs --${other} as well; --help lists all settings.`);
    }
  }
  if (wantsTls(given)) return;
  const name = (['tls-cert', 'tls-client-ca'] as const).find((each) => given[each] !== undefined);
  if (name !== undefined) throw new BadSetting(`--${name} has no effect without TLS: leave it out, or set --tls.`);
}

/** Settings in bytes: they may be given as 64M, 10G or 1T. */
const sizes: ReadonlySet<string> = new Set([
  'max-message-size',
  'archive-max-size',
  'archive-buffer',
  'module-memory',
  'max-json-size',
  'max-backfill-size',
  'max-database-size',
  'max-executable-size',
] satisfies SettingName[]);

/** A duration or a size becomes the number that it is; anything else stays. */
function readUnits(name: string, text: string): string {
  const { unit } = Settings.properties[name as SettingName] as { unit?: DurationUnit };
  const duration = unit === undefined ? undefined : parseDurationIn(unit, text);
  return duration === undefined ? readSize(name, text) : String(duration);
}

function readSize(name: string, text: string): string {
  const [, digits = '', unit = ''] = /^(\d{1,15})([KMGT])i?B?$/i.exec(text) ?? [];
  if (digits === '' || !sizes.has(name)) return text;
  return String(Number(digits) * 1024 ** (1 + 'KMGT'.indexOf(unit.toUpperCase())));
}

const settings = checker(Settings);
const names = Object.keys(Settings.properties) as SettingName[];

export function environmentName(name: string): string {
  return `TELLTALE_${name.toUpperCase().replaceAll('-', '_')}`;
}

interface GivenSetting {
  readonly text: string;
  readonly source: Exclude<SettingSource, 'default'>;
}

/** The command line wins over the environment, and that over what an enrolment has left in the data folder. */
function givenSettings(args: readonly string[], environment: NodeJS.ProcessEnv): Map<string, GivenSetting> {
  const found = new Map<string, GivenSetting>();
  const given = readArguments(args);
  const data = given.get('data') ?? environment[environmentName('data')] ?? String(defaults().data);
  const enrolled = enrolledSettings(data);
  if (enrolled instanceof Error) throw new BadSetting(enrolled.message);
  for (const [name, text] of enrolled) found.set(name, { text, source: 'enrolment' });
  for (const name of names) {
    const text = environment[environmentName(name)];
    if (text !== undefined) found.set(name, { text, source: 'environment' });
  }
  for (const [name, text] of given) found.set(name, { text, source: 'command-line' });
  return found;
}

/** Of those that are given; the others are defaults. */
export function readSources(args: readonly string[], environment: NodeJS.ProcessEnv): SettingSources {
  return new Map([...givenSettings(args, environment)].map(([name, { source }]) => [name, source]));
}

/** What is given wins over the defaults. */
export function readSettings(args: readonly string[], environment: NodeJS.ProcessEnv): Settings {
  const texts = givenSettings(args, environment);
  const given = Object.fromEntries([...texts].map(([name, { text }]) => [name, readUnits(name, text)]));
  const values = settings.coerce({ ...defaults(), ...given });
  const [fault = faultOf(values as Settings)] = settings.faults(values);
  if (fault === undefined) {
    checkTogether(values as Settings);
    return values as Settings;
  }
  const name = fault.path.slice(1);
  const { text = '', source } = texts.get(name) ?? {};
  const title = source === 'environment' ? environmentName(name) : `--${name}`;
  const isOutside = /^must be [<>]/.test(fault.message);
  const message = (isOutside ? undefined : formOf(name as SettingName)) ?? fault.message;
  const shown = withLogin.test(text) ? '' : ` ${JSON.stringify(text)}`;
  throw new BadSetting(`${title}${shown} ${message}; --help lists all settings.`);
}

/** Those of the command line: they may be set for both. */
const commandLineVariables = ['TELLTALE_URL', 'TELLTALE_CONTEXT'];

/** Variables that look like settings but are not: worth a warning only, since other systems set some of their own. */
export function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  const known = new Set([...names.map(environmentName), ...commandLineVariables]);
  return Object.keys(environment).filter((variable) => variable.startsWith('TELLTALE_') && !known.has(variable));
}

function readArguments(args: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const [, negated, name = '', text] = /^--(no-)?([a-z-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (!names.includes(name as SettingName)) {
      throw new BadSetting(`${JSON.stringify(arg)} is not a setting; --help lists all settings.`);
    }
    const isFlag = (Settings.properties[name as SettingName] as { type?: string }).type === 'boolean';
    if (isFlag && negated !== undefined && text !== undefined) {
      throw new BadSetting(`--no-${name} takes no value; --help lists all settings.`);
    }
    const next = args[index + 1] ?? '';
    const isNextItsValue = negated === undefined && text === undefined && parseBoolean(next) !== undefined;
    if (isFlag && isNextItsValue) {
      found.set(name, next); // --demo off
      index++;
    } else if (isFlag) found.set(name, text ?? String(negated === undefined));
    else if (negated !== undefined) throw new BadSetting(`--no-${name} does not exist; --${name} takes a value.`);
    else found.set(name, text ?? args[++index] ?? missing(name));
  }
  return found;
}

function missing(name: string): never {
  throw new BadSetting(`--${name} needs a value after it.`);
}

function defaults(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries<TSchema & { default?: unknown }>(Settings.properties)
      .filter(([, schema]) => schema.default !== undefined)
      .map(([name, schema]) => [name, schema.default]),
  );
}

export interface SettingLine {
  readonly name: string;
  readonly option: string;
  readonly variable: string;
  readonly default: string;
  readonly description: string;
}

export function settingLines(): SettingLine[] {
  return Object.entries<TSchema & { type?: string; enum?: string[]; default?: unknown; description?: string }>(
    Settings.properties,
  ).map(([name, schema]) => ({
    name,
    option:
      schema.type === 'boolean'
        ? `--${name}, --no-${name}`
        : `--${name} ${schema.enum?.join('|') ?? placeholder(schema.type)}`,
    variable: environmentName(name),
    default: schema.default === undefined ? '' : String(schema.default),
    description: schema.description ?? '',
  }));
}

function placeholder(type: string | undefined): string {
  return type === 'integer' ? 'N' : 'TEXT';
}

export function helpText(): string {
  const lines = settingLines().map(
    (line) =>
      `  ${line.option}\n      ${line.description}${line.default === '' ? '' : ` Default: ${line.default}.`} (${line.variable})`,
  );
  return `Telltale, a data-acquisition server.\n\nnpm start -- [SETTING]…\n\n${lines.join('\n')}\n  --help\n      This text.\n`;
}
