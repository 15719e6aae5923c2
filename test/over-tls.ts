// Lets the rigs of tests speak TLS: for promises that hold over either.
import { makeSelfSigned, type Pair } from '../packages/server/src/tls/self-signed.ts';

/** Undefined: without TLS. A test file that sets it is for TLS alone. */
export const overTls: { pair?: Pair } = {};

export function speakTls(): Pair {
  overTls.pair ??= makeSelfSigned({ title: 'test', hosts: ['localhost', '127.0.0.1', '::1'], nowMs: Date.now() });
  return overTls.pair;
}
