// OpenLDAP for tests: a process of its own on loopback, with an authority, people and groups of its own.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, freePort, missingPeers, PeerProcess } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

/** Why tests that need it are skipped, or false. */
export const withoutSlapd = missingPeers('slapd', 'slapadd', 'ldapmodify', 'openssl') ?? false;

export const people = 'ou=people,dc=plant,dc=example';
export const groups = 'ou=groups,dc=plant,dc=example';
export const service = { dn: 'cn=telltale,dc=plant,dc=example', password: 'looks for people' };

/** Who may read: the service alone. Who may sign in: everybody. */
const configuration = (folder: string) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${folder}/slapd.pid
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/slapd.pem
TLSCertificateKeyFile ${folder}/slapd.key
security simple_bind=64
database mdb
maxsize 16777216
suffix dc=plant,dc=example
rootdn cn=root,dc=plant,dc=example
rootpw everything
directory ${folder}/db
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact=${service.dn} read by * none
`;

const person = (name: string, password: string, more = '') => `dn: uid=${name},${people}
objectClass: inetOrgPerson
uid: ${name}
cn: ${name}
sn: ${name}
userPassword: ${password}
${more}`;

const group = (name: string, ...members: string[]) => `dn: cn=${name},${groups}
changetype: add
objectClass: groupOfNames
cn: ${name}
${members.map((member) => `member: uid=${member},${people}\n`).join('')}`;

/** Anna is an operator and an engineer, Ben an operator; Eve has two entries; Karl was sent away. */
const entries = [
  'dn: dc=plant,dc=example\nobjectClass: dcObject\nobjectClass: organization\ndc: plant\no: plant\n',
  `dn: ${service.dn}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: telltale\nuserPassword: ${service.password}\n`,
  `dn: ${people}\nobjectClass: organizationalUnit\nou: people\n`,
  `dn: ${groups}\nobjectClass: organizationalUnit\nou: groups\n`,
  `dn: ou=left,${people}\nobjectClass: organizationalUnit\nou: left\n`,
  person('anna', 'anna of the plant'),
  person('ben', 'ben of the plant'),
  person('eve', 'eve of the plant'),
  person('karl', 'karl of the plant', 'employeeType: left\n'),
  `dn: cn=other eve,ou=left,${people}\nobjectClass: inetOrgPerson\nuid: eve\ncn: other eve\nsn: eve\n`,
];

/** Added while it runs: else it would not enter them into people's memberOf. */
const groupEntries = [
  group('Operators', 'anna', 'ben'),
  group('engineers', 'anna'),
  `dn: cn=old,${groups}\nchangetype: add\nobjectClass: posixGroup\ncn: old\ngidNumber: 7\nmemberUid: ben\n`,
];

export class Slapd {
  readonly folder: string;
  readonly ldaps: string;
  /** Without TLS until it is asked for. */
  readonly ldap: string;
  readonly #ports: readonly [number, number];
  #process: PeerProcess | undefined;

  static async start(scope: Scope): Promise<Slapd> {
    const folder = temporaryFolder(scope);
    const slapd = new Slapd(folder, [await freePort(), await freePort()]);
    makeCertificates(folder);
    mkdirSync(join(folder, 'db'));
    writeFileSync(join(folder, 'slapd.conf'), configuration(folder));
    writeFileSync(join(folder, 'entries.ldif'), entries.join('\n'));
    run('slapadd', ['-f', join(folder, 'slapd.conf'), '-l', join(folder, 'entries.ldif')]);
    cleanupOf(scope).defer(() => slapd.halt());
    await slapd.again();
    slapd.modify(groupEntries.join('\n'));
    return slapd;
  }

  private constructor(folder: string, ports: readonly [number, number]) {
    this.folder = folder;
    this.#ports = ports;
    [this.ldaps, this.ldap] = [`ldaps://127.0.0.1:${ports[0]}`, `ldap://127.0.0.1:${ports[1]}`];
  }

  /** The authority of its certificate. */
  get ca(): string {
    return readFileSync(join(this.folder, 'ca.pem'), 'utf8');
  }

  /** Operations and results, as it logs them. */
  get said(): string {
    return this.#process?.said ?? '';
  }

  async again(): Promise<void> {
    this.#process = await PeerProcess.start({
      command: 'slapd',
      args: ['-d', 'stats', '-f', join(this.folder, 'slapd.conf'), '-h', `${this.ldaps} ${this.ldap}`],
      folder: this.folder,
      isReady: async () => (await Promise.all(this.#ports.map((port) => accepts(port)))).every(Boolean),
    });
  }

  async halt(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  freeze(): void {
    this.#process?.freeze();
  }

  thaw(): void {
    this.#process?.thaw();
  }

  /** LDIF with changes, by the owner of the directory. */
  modify(ldif: string): void {
    const login = ['-x', '-D', 'cn=root,dc=plant,dc=example', '-w', 'everything', '-H', this.ldaps];
    run('ldapmodify', login, ldif, { LDAPTLS_CACERT: join(this.folder, 'ca.pem') });
  }
}

function run(command: string, args: readonly string[], input = '', env: Record<string, string> = {}): void {
  const path = `${process.env.PATH}:/usr/sbin:/sbin`;
  execFileSync(command, args, { input, stdio: 'pipe', env: { ...env, PATH: path } });
}

/** An authority, and a certificate of 127.0.0.1 by it; another authority, and one of another host. */
function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['ca', 'other-ca']) {
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
    );
  }
  writeFileSync(join(folder, 'san'), 'subjectAltName=IP:127.0.0.1\n');
  openssl('req', ...key, '-keyout', 'slapd.key', '-out', 'slapd.csr', '-subj', '/CN=slapd');
  const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'san'];
  openssl('x509', '-req', '-in', 'slapd.csr', '-out', 'slapd.pem', ...by);
}
