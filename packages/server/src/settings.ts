// Every setting of the server: one schema from which the command line, the environment, --help and the reference page
// are made.
import {
  booleanForms,
  checker,
  confirmLevels,
  type DurationUnit,
  durationForms,
  durationPattern,
  parseBoolean,
  parseDuration,
  parseDurationIn,
  programsFault,
} from '@telltale/schema';
import Type, { type Static, type TSchema } from 'typebox';

const MiB = 1 << 20;

const Path = (defaultPath: string, description: string) =>
  Type.String({ pattern: '^(/[A-Za-z0-9._~-]+)+$', default: defaultPath, description });

const File = (description: string) => Type.String({ minLength: 1, description });

const Bytes = (mebibytes: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 2 ** 40, default: mebibytes * MiB, description });

const Milliseconds = (defaultMs: number, description: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 2 ** 31 - 1,
    default: defaultMs,
    description: `${description} In milliseconds, or such as 5s.`,
    unit: 'ms',
  });

const Confirm = (what: string) =>
  Type.Enum([...confirmLevels], {
    type: 'string',
    default: 'none',
    description: `How they are confirmed: ${what} need nothing, a reason, a signature by password, or that of a second person too.`,
  });

export const Settings = Type.Object(
  {
    data: Type.String({
      minLength: 1,
      default: './data',
      description: 'Folder with all data of the server.',
    }),
    host: Type.String({
      minLength: 1,
      default: '127.0.0.1',
      description: 'Address to listen on; one beyond loopback needs a user and TLS.',
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65535,
      default: 8080,
      description: 'Port to listen on; 0: any free port.',
    }),
    tls: Type.Optional(
      Type.Boolean({
        description:
          'Serve HTTPS, without tls-cert with a certificate that the server makes itself. Default: if tls-cert is set.',
      }),
    ),
    'tls-cert': Type.Optional(
      File(
        'File (PEM) with the certificate of the server and those that complete its chain. Read again when it changes.',
      ),
    ),
    'tls-key': Type.Optional(File('File (PEM) with the private key of the certificate. Read again when it changes.')),
    'tls-client-ca': Type.Optional(
      File(
        'File (PEM) with the authorities whose client certificates are accepted. Default: clients are not asked for one.',
      ),
    ),
    'tls-client-crl': Type.Optional(
      File('File (PEM) with the revocation lists of these authorities. Read again when it changes.'),
    ),
    'public-url': Type.Optional(
      Type.String({
        pattern: '^https://([A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}\\])(:[0-9]{1,5})?/?$',
        description: 'Address by which browsers know the server, where that is not the one that it listens on.',
      }),
    ),
    'trusted-proxy': Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Addresses and networks of proxies, comma-separated: from these alone, X-Forwarded-For is the source of a request.',
      }),
    ),
    demo: Type.Optional(
      Type.Boolean({ description: 'Start with the demo plant. Default: if the data folder is new.' }),
    ),
    stacks: Type.Optional(Type.String({ minLength: 1, description: 'Folder with additional protocol stacks.' })),
    'stack-threads': Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description:
          'Maximum number of threads for connectors and providers, started as needed. Default: one less than there are cores.',
      }),
    ),
    'log-level': Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
      type: 'string',
      default: 'info',
      description: 'Log level.',
    }),
    'data-path': Path('/data', 'Path of the data-access interface.'),
    'channel-path': Path('/data/ws', 'Path of the WebSocket channel.'),
    'config-path': Path('/config/v2', 'Path of the configuration interface.'),
    'access-path': Path('/access', 'Path of the interface for users, roles, tokens and sessions.'),
    directories: Type.Optional(
      Type.String({ minLength: 1, description: 'File (JSON) that names directories of users: LDAP, OpenID Connect.' }),
    ),
    'write-timeout': Milliseconds(5000, 'Time limit for a device to answer a command; a connector may have its own.'),
    'max-clock-skew': Milliseconds(
      60_000,
      'Maximum deviation of the clock of a device: beyond it, readings get the time of the server and are uncertain.',
    ),
    'max-message-size': Bytes(8, 'Maximum bytes of a message from a channel client.'),
    'max-clients': Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      description: 'Maximum number of channel clients.',
    }),
    'max-watches': Type.Integer({
      minimum: 1,
      maximum: 2 ** 31 - 1,
      default: 200_000,
      description:
        'Maximum number of measurements that one channel client watches by name and by selector; the same for commands and for alarms.',
    }),
    'archive-commit': Milliseconds(50, 'How long archive records are gathered before they are written together.'),
    'archive-retention': Type.Optional(
      Type.String({
        pattern: durationPattern,
        description: `How long the archive stores records: ${durationForms}. Default: without limit. An object may have its own in properties.archRetention.`,
      }),
    ),
    'archive-max-size': Type.Optional(
      Type.Integer({
        minimum: 16 * MiB,
        maximum: 2 ** 50,
        description: 'Maximum bytes of the archive: beyond it, the oldest records are deleted. Default: no limit.',
      }),
    ),
    'archive-buffer': Bytes(
      64,
      'Maximum bytes of records queued in memory while the disk refuses writes; beyond it, the oldest are discarded.',
    ),
    'confirm-render': Confirm('Renderings'),
    'confirm-erase': Confirm('Erasing records of the archive'),
    'confirm-simulate': Confirm('Simulations'),
    'confirm-except': Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Programs that need not confirm renderings, erasing and simulations, comma-separated, such as module/loop,token/deploy.',
      }),
    ),
    'audit-retention': Type.Optional(
      Type.String({
        pattern: durationPattern,
        description: `How long the audit trail stores records: ${durationForms}. Default: without limit.`,
      }),
    ),
    'audit-syslog': Type.Optional(
      Type.String({
        pattern: '^(udp|tcp|tls)://(\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?$',
        description:
          'Syslog server (RFC 5424) that gets the signed heads of the audit trail, such as tls://log.example:6514; also tcp:// and udp://.',
      }),
    ),
    'audit-syslog-ca': Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'File with the certificates, in PEM, by which the syslog server is trusted. Default: those of Node.',
      }),
    ),
    'module-user': Type.String({
      pattern: '^([A-Za-z_][A-Za-z0-9_.-]{0,31}|[0-9]{1,10}(:[0-9]{1,10})?)$',
      default: 'own',
      description:
        'User of function modules: own (each module has a user of its own if the server is root, otherwise the user of the server), server, or the name or uid[:gid] of a user.',
    }),
    'module-uploads': Type.Boolean({
      default: true,
      description: 'Whether executables of function modules can be uploaded over the configuration interface.',
    }),
    'module-memory': Type.Optional(
      Type.Integer({
        minimum: MiB,
        maximum: 2 ** 50,
        description: 'Maximum bytes of memory of a function module without properties.memoryLimit. Default: no limit.',
      }),
    ),
    'secret-key-file': Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'File with the key that seals the secrets of connectors and providers on disk: 32 bytes in base64. Default: the credential telltale-secret-key of systemd; without it, they are not sealed.',
      }),
    ),
    'max-json-size': Bytes(64, 'Maximum bytes of a JSON body.'),
    'max-backfill-size': Bytes(4096, 'Maximum bytes of records imported in one request.'),
    'max-database-size': Bytes(1024, 'Maximum bytes of an uploaded configuration database.'),
    'max-executable-size': Bytes(256, 'Maximum bytes of an uploaded executable.'),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof Settings>;

type SettingName = keyof Settings;

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
  'archive-retention': `must be a duration such as 90d: ${durationForms}`,
  'public-url': 'must be an address of https without a path, such as https://plant.example',
  'audit-retention': `must be a duration such as 365d: ${durationForms}`,
  'audit-syslog': 'must be an address such as tls://log.example:6514, tcp://10.0.0.1 or udp://log.example',
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
  const retention = (['archive-retention', 'audit-retention'] as const).find((name) => {
    const text = given[name];
    return text !== undefined && parseDuration(text) === undefined;
  });
  if (retention !== undefined) return { path: `/${retention}`, message: 'is none' };
  const programs = programsFault(given['confirm-except'] ?? '');
  if (programs !== undefined) return { path: '/confirm-except', message: programs };
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) return { path: '/public-url', message: 'is none' };
  return undefined;
}

/** Settings of TLS that are nothing without the other. */
const needed: readonly (readonly [SettingName, SettingName])[] = [
  ['tls-cert', 'tls-key'],
  ['tls-key', 'tls-cert'],
  ['tls-client-crl', 'tls-client-ca'],
];

/** Whether HTTPS is served. */
export function wantsTls({ tls, 'tls-cert': certFile }: Settings): boolean {
  return tls ?? certFile !== undefined;
}

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

/** The command line wins over the environment, the environment over the defaults. */
export function readSettings(args: readonly string[], environment: NodeJS.ProcessEnv): Settings {
  const texts = new Map<string, { text: string; source: string }>();
  for (const name of names) {
    const variable = environmentName(name);
    const text = environment[variable];
    if (text !== undefined) texts.set(name, { text, source: variable });
  }
  for (const [name, text] of readArguments(args)) texts.set(name, { text, source: `--${name}` });
  const given = Object.fromEntries([...texts].map(([name, { text }]) => [name, readUnits(name, text)]));
  const values = settings.coerce({ ...defaults(), ...given });
  const [fault = faultOf(values as Settings)] = settings.faults(values);
  if (fault === undefined) {
    checkTogether(values as Settings);
    return values as Settings;
  }
  const name = fault.path.slice(1);
  const { text = '', source = `--${name}` } = texts.get(name) ?? {};
  const isOutside = /^must be [<>]/.test(fault.message);
  const message = (isOutside ? undefined : formOf(name as SettingName)) ?? fault.message;
  throw new BadSetting(`${source} ${JSON.stringify(text)} ${message}; --help lists all settings.`);
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
