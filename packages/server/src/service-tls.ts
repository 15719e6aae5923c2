// How the service is reached: over TLS where the settings want it, with files that are given or with a certificate of its own.
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { type Clock, systemClock } from '@telltale/schema';
import type { Logger } from 'pino';
import { type Access, isLoopback, TrustedProxies } from './access/index.ts';
import { type CredentialsReader, credentialsReader, type HttpServer, type Metric } from './api/index.ts';
import { type Settings, wantsTls } from './settings.ts';
import { StartFailed } from './start-failed.ts';
import { ownPair, ServedCertificate, type TlsFiles, tlsOptions } from './tls/index.ts';

export interface ServiceTlsOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock?: Clock;
}

type Served = Pick<HttpServer, 'serveWith' | 'dismiss'>;

export class ServiceTls {
  readonly #settings: Settings;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly credentialsOf: CredentialsReader;
  #served: ServedCertificate | undefined;
  #http: Served | undefined;

  /** Throws where nothing would protect the service from the network. */
  constructor({ settings, log, clock = systemClock }: ServiceTlsOptions) {
    const { host, 'trusted-proxy': proxies } = settings;
    if (!isLoopback(host) && !wantsTls(settings)) {
      throw new StartFailed(
        `--host ${host} is not loopback, and so needs TLS: name the files of a certificate with --tls-cert and ` +
          '--tls-key, or let the service make one with --tls.',
      );
    }
    this.credentialsOf = credentialsReader({ proxies: proxiesOf(proxies), clock });
    this.#settings = settings;
    this.#log = log;
    this.#clock = clock;
  }

  /** For the server; undefined where it speaks no TLS. */
  get options(): TlsOptions | undefined {
    if (!wantsTls(this.#settings)) return undefined;
    // Who presents none, or a wrong one, is refused as a caller, with a reason.
    return { ...tlsOptions, requestCert: this.#settings['tls-client-ca'] !== undefined, rejectUnauthorized: false };
  }

  /** Where it listens, such as https://127.0.0.1:8080. */
  urlOf({ server }: Pick<HttpServer, 'server'>): string {
    const { address, family, port } = server.address() as AddressInfo;
    const scheme = wantsTls(this.#settings) ? 'https' : 'http';
    return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Reads the files that are given; throws `UnusableTls`. With these, this machine is answered from the start. */
  async read(http: Served): Promise<void> {
    const { host, 'tls-cert': certFile, 'tls-key': keyFile } = this.#settings;
    if (certFile === undefined || keyFile === undefined) return;
    const { context } = await this.#open(certFile, keyFile);
    if (isLoopback(host)) http.serveWith(context);
  }

  /**
   * Before this, nobody else gets in: only now it is known whether there are users. Where no files are given, they are made in
   * the data folder, which is ours now.
   */
  async serve(http: Served, { isOpen }: Pick<Access, 'isOpen'>): Promise<void> {
    if (!wantsTls(this.#settings)) return;
    const { data, host, 'public-url': publicUrl } = this.#settings;
    if (isOpen && !isLoopback(host)) {
      throw new StartFailed(
        `--host ${host} is not loopback, and there is no user yet: start the service on 127.0.0.1, make the first ` +
          'administrator (telltale access init), and start it again.',
      );
    }
    const hosts = [host, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname.replaceAll(/[[\]]/g, '')])];
    const own = this.#served === undefined && (await ownPair(data, hosts, Math.floor(this.#clock.now() / 1000)));
    const served = own ? await this.#open(own.certFile, own.keyFile) : this.#served;
    if (served === undefined) return;
    this.#http = http;
    http.serveWith(served.context);
    this.#log.info(`TLS: the certificate has the SHA-256 fingerprint ${served.fingerprint}`);
    served.begin();
  }

  async close(): Promise<void> {
    await this.#served?.close();
  }

  /** Of the certificate that is served, as browsers show it; undefined: none is. */
  get fingerprint(): string | undefined {
    return this.#served?.fingerprint;
  }

  get warnings(): readonly string[] {
    return this.#served?.warnings ?? [];
  }

  metrics(): Metric[] {
    const served = () => this.#served;
    if (!wantsTls(this.#settings)) return [];
    return [
      {
        name: 'telltale_tls_certificate_expiry_timestamp_seconds',
        help: 'When the certificate of the service expires.',
        type: 'gauge',
        read: () => (served()?.facts.validUntilMs ?? 0) / 1000,
      },
      {
        name: 'telltale_tls_files_unusable',
        help: 'Whether the files of TLS were replaced by some that cannot be used, so that the old ones count.',
        type: 'gauge',
        read: () => Number(served()?.isBehind ?? false),
      },
      {
        name: 'telltale_tls_reloads_total',
        help: 'New files of TLS, by whether they could be used.',
        type: 'counter',
        labels: ['result'],
        read: () => [
          { labels: { result: 'good' }, value: served()?.counts.reloads ?? 0 },
          { labels: { result: 'bad' }, value: served()?.counts.failures ?? 0 },
        ],
      },
    ];
  }

  async #open(certFile: string, keyFile: string): Promise<ServedCertificate> {
    const { 'tls-client-ca': clientCaFile, 'tls-client-crl': clientCrlFile } = this.#settings;
    const files: TlsFiles = { certFile, keyFile, clientCaFile, clientCrlFile };
    this.#served = await ServedCertificate.open({
      files,
      clock: this.#clock,
      log: this.#log,
      onChange: (context, isRefused) => {
        this.#http?.serveWith(context);
        this.#http?.dismiss(isRefused);
      },
    });
    return this.#served;
  }
}

function proxiesOf(text: string | undefined): TrustedProxies {
  try {
    return new TrustedProxies(text);
  } catch (error) {
    throw new StartFailed(`--trusted-proxy ${(error as Error).message}`);
  }
}
