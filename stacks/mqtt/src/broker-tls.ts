// What an encrypted connection to a broker is made with: the files of its variables, and whoever decides on its certificate.
import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '@telltale/schema';
import { PeerCertificates, peerNameOf, readTls, type StackLog, TlsPeer } from '@telltale/stack-kit';
import type { BrokerVariables } from './broker-variables.ts';

export interface BrokerTls {
  readonly options: ConnectionOptions;
  /** Decides on the certificate of the broker. */
  readonly peer: Pick<TlsPeer, 'guard' | 'settled'>;
}

export interface BrokerTlsOptions {
  readonly variables: BrokerVariables;
  /** With the certificates. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: StackLog;
}

/** Throws `NotConnected` where a file cannot be read. */
export async function brokerTls({ variables, folder, clock, log }: BrokerTlsOptions): Promise<BrokerTls> {
  const options = await readTls(variables, folder);
  const certificates = new PeerCertificates({ folder, clock, log });
  const address = `${variables.host}:${variables.port}`;
  return { options, peer: await TlsPeer.of({ certificates, address, serverName: peerNameOf(variables), clock }) };
}
