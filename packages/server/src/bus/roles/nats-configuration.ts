// Configuration of the servers of the bus: TLS with certificates of both sides, and what each member may say and hear.
import { createHash } from 'node:crypto';
import { rights } from '../subjects.ts';
import { type BusMember, commonNameOf, permissionsOf } from './roles.ts';

export interface NatsFiles {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  /** It writes its process there, so that it can be told to read its configuration again. */
  readonly pid: string;
}

export interface NatsConfigurationOptions extends NatsFiles {
  /** Where it listens, such as 0.0.0.0:4222. */
  readonly listen: string;
  /** Name of the file with `natsAuthorization`, beside the configuration: NATS knows no other place. */
  readonly authorization: string;
}

/** What many sites have sent may wait for an archiver that is slow: a parcel of each of a thousand. */
const mostPending = '256MB';

/** Of one server, once. It keeps nothing: it has no JetStream. */
export function natsConfiguration(options: NatsConfigurationOptions): string {
  const { listen, authority, certificate, key, pid, authorization } = options;
  return `${[
    '# Made by Telltale. Whoever is on the bus shows a certificate of this authority.',
    `listen: ${quoted(listen)}`,
    `pid_file: ${quoted(pid)}`,
    `max_pending: ${mostPending}`,
    'tls {',
    `  cert_file: ${quoted(certificate)}`,
    `  key_file: ${quoted(key)}`,
    `  ca_file: ${quoted(authority)}`,
    '  verify_and_map: true',
    '}',
    '# Written when a site comes or goes: then the server reads it again (nats-server --signal reload).',
    `include ${quoted(authorization)}`,
  ].join('\n')}\n`;
}

/** Of these members: another one after each change. */
export function rightsVersion(members: readonly BusMember[]): string {
  return createHash('sha256')
    .update(JSON.stringify(members.map(commonNameOf)))
    .digest('hex')
    .slice(0, 16);
}

/** Who may connect, by the common names of certificates. Whoever is not in it may not, and is cut off when it is read again. */
export function natsAuthorization(members: readonly BusMember[]): string {
  const users = members.map((member) => {
    const { publish, subscribe } = permissionsOf(member);
    const said = member.role === 'centre' ? [...publish, rights.read(rightsVersion(members))] : publish;
    const permissions = `{ publish: ${listOf(said)}, subscribe: ${listOf(subscribe)} }`;
    return `    { user: ${quoted(`CN=${commonNameOf(member)}`)}, permissions: ${permissions} }\n`;
  });
  // Without anybody, everybody would be let in.
  const nobody = `    { user: "CN=nobody", permissions: { publish: { deny: ">" }, subscribe: { deny: ">" } } }\n`;
  return `authorization {\n  users: [\n${users.join('') || nobody}  ]\n}\n`;
}

function listOf(subjects: readonly string[]): string {
  return `[${subjects.map(quoted).join(', ')}]`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
