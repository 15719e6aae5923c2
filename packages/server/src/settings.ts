// Every setting of the server: one schema from which the command line, the environment, --help and the reference page
// are made.
import {
  confirmLevels,
  durationForms,
  durationPattern,
  knownTimeZone,
  nodeNamePattern,
  ownTimeZone,
  type SettingSource,
} from '@telltale/schema';
import Type, { type Static } from 'typebox';

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
    'time-zone': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Time zone of the plant, such as Europe/Vienna. Default: that of the machine, otherwise UTC.',
      }),
    ),
    demo: Type.Optional(
      Type.Boolean({
        description: 'Start with the demo plant. Default: if the data folder is new, and there is no lease.',
      }),
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
    store: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'PostgreSQL that gets all that is archived as well, such as postgresql://archiver@db/plant; its password is in a passfile. Default: none.',
      }),
    ),
    'store-interval': Milliseconds(1000, 'How long records are gathered before they go to the store together.'),
    'store-retention': Type.Optional(
      Type.String({
        pattern: durationPattern,
        description: `How long the store keeps records, in whole weeks and of all sites, and hourly figures ten times as long: ${durationForms}. Default: without limit.`,
      }),
    ),
    site: Type.Optional(
      Type.String({
        pattern: '^[^\\u0000-\\u001f\\u007f]{1,64}$',
        description:
          'Name of this site in the store, on the bus and for its nodes, who all have the same. Default: that of the machine; --lease needs one.',
      }),
    ),
    bus: Type.Optional(
      Type.String({
        pattern: '^(nats|tls)://[^@]+$',
        description:
          'NATS over which this site and a centre work together, such as tls://bus1.example,bus2.example. Default: none.',
      }),
    ),
    'bus-public': Type.Optional(
      Type.String({
        pattern: '^tls://[^@]+$',
        description:
          'Address of the bus that a centre tells those whom it invites, where that is not the one that it uses itself.',
      }),
    ),
    'bus-role': Type.Optional(
      Type.Enum(['site', 'centre'], {
        type: 'string',
        description: 'What the server is on the bus. Default: a centre where it has a store, else a site.',
      }),
    ),
    'bus-ca': Type.Optional(
      File(
        'File (PEM) with the authority of the bus. Default: those of the system; a centre without any of these files is the authority itself.',
      ),
    ),
    'bus-cert': Type.Optional(File('File (PEM) with the certificate with which the server shows the bus who it is.')),
    'bus-key': Type.Optional(File('File (PEM) with its private key.')),
    'bus-credentials': Type.Optional(File('File with credentials of NATS, in the place of a certificate.')),
    lease: Type.Optional(
      Type.String({
        pattern: '^etcds?://([^:@/]+@)?[^@]+$',
        description:
          'etcd that says which node of the site leads (needs --site), such as etcd://10.0.0.1,10.0.0.2,10.0.0.3/plant; ?ca=FILE&cert=FILE&key=FILE (PEM) for TLS. Default: this node is the only one.',
      }),
    ),
    'lease-password-file': Type.Optional(File('File with the password of the user of etcd.')),
    'lease-ttl': Milliseconds(2000, 'How long a node that does not answer leads on; at least 1s.'),
    node: Type.Optional(
      Type.String({
        pattern: nodeNamePattern,
        description:
          'Name of this node of the site: letters, digits, dots, hyphens and underscores. Default: that of the machine.',
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

export type SettingName = keyof Settings;
/** Where those that are given come from; the others are defaults. */
export type SettingSources = ReadonlyMap<string, SettingSource>;

/** Of the plant. */
export function timeZoneOf({ 'time-zone': name }: Settings): string {
  return name === undefined ? ownTimeZone() : (knownTimeZone(name) ?? name);
}

/** Whether HTTPS is served. */
export function wantsTls({ tls, 'tls-cert': certFile }: Settings): boolean {
  return tls ?? certFile !== undefined;
}
