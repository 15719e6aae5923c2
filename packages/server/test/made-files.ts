// Files of TLS in a folder of a test.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSelfSigned, type Pair } from '../src/tls/self-signed.ts';

export interface MadeFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export function filesIn(folder: string): MadeFiles {
  return { certFile: join(folder, 'certificate.pem'), keyFile: join(folder, 'key.pem') };
}

export function newPair(nowMs = Date.now()): Pair {
  return makeSelfSigned({ title: 'test', hosts: ['localhost', '127.0.0.1', '::1'], nowMs });
}

export function writePair({ certFile, keyFile }: MadeFiles, { certificate, key }: Pair): void {
  writeFileSync(certFile, certificate);
  writeFileSync(keyFile, key);
}
