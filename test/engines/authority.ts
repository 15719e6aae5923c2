// An authority for the engines of a test, made by openssl, and certificates of it.
import { execFileSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPeers } from '@telltale/stack-kit/testing';
import { type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { engineUser } from './engine-folder.ts';

export const withoutOpenssl = missingPeers('openssl') ?? false;

/** Paths of files in PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const days = ['-days', '2'];

export class Authority {
  /** Path of its certificate. */
  readonly ca: string;
  readonly #folder: string;

  constructor(scope: Scope, name = 'authority of a test') {
    this.#folder = temporaryFolder(scope);
    const user = engineUser();
    if (user !== undefined) chownSync(this.#folder, user.uid, user.gid);
    this.ca = join(this.#folder, 'ca.pem');
    this.#openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${name}`, ...days);
  }

  /** For a server on loopback, or a client. Its subject is its common name unless told otherwise. */
  issue(name: string, subject = `/CN=${name}`): Pair {
    writeFileSync(join(this.#folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    this.#openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
    this.#openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by, ...days);
    const pair = { cert: join(this.#folder, `${name}.pem`), key: join(this.#folder, `${name}.key`) };
    const user = engineUser();
    if (user !== undefined) chownSync(pair.key, user.uid, user.gid);
    return pair;
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: 'pipe' });
  }
}
