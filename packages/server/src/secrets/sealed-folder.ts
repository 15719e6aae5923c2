// The key and the files of secrets of a server, opened: what is plain in them is sealed.
import { join } from 'node:path';
import { parseJson } from '@telltale/schema';
import type { StackParameters } from './inline-secrets.ts';
import { InstanceSecrets, type SecretOwner } from './instance-secrets.ts';
import { type Role, Seal, type SealKeys } from './seal.ts';
import { SecretFiles } from './secret-files.ts';
import { type KeySource, readKeys } from './secret-key.ts';

export interface SecretsLog {
  info(text: string): void;
  warn(text: string): void;
}

/** What the server has of connectors and providers. */
export interface SecretsParts {
  readonly cfgdb: { call(method: 'list', family: 'connectors' | 'providers'): Promise<Uint8Array> };
  readonly host: {
    instances(): readonly { readonly role: Role; readonly instance: SecretOwner }[];
    restart(role: Role, name: string, reason: string): void;
  };
  readonly stacks: {
    readonly [R in Role]: ReadonlyMap<string, { readonly description: { readonly parameters: StackParameters } }>;
  };
}

export class SealedFolder {
  readonly keys: SealKeys;
  readonly folder: string;
  readonly files: SecretFiles;
  readonly #log: SecretsLog;

  /** Throws `BadKey`; touches no file of the data folder. */
  constructor({ log, ...source }: KeySource & { readonly log: SecretsLog }) {
    const { keys, warnings } = readKeys(source);
    for (const text of warnings) log.warn(text);
    if (keys.length === 0) {
      log.info('secrets are not sealed on disk: there is no key (--secret-key-file, or a credential of systemd)');
    }
    this.#log = log;
    this.keys = keys;
    this.folder = join(source.data, 'secrets');
    this.files = new SecretFiles(this.folder, new Seal(keys));
  }

  /** For the operations on secrets. */
  served({ cfgdb, host, stacks }: SecretsParts): InstanceSecrets {
    return new InstanceSecrets({
      files: this.files,
      configured: async (role) => {
        const bytes = await cfgdb.call('list', `${role}s`);
        return new Map(Object.entries(parseJson(Buffer.from(bytes).toString()) as Record<string, SecretOwner>));
      },
      running: (role, name) =>
        host.instances().find((each) => each.role === role && each.instance.name === name)?.instance,
      restart: (role, name, reason) => host.restart(role, name, reason),
      parametersOf: (role, stackName) => stacks[role].get(stackName)?.description.parameters,
    });
  }

  async open(): Promise<void> {
    const { sealed, failed } = await this.files.sealAll();
    if (sealed > 0) this.#log.info(`${sealed} ${sealed === 1 ? 'file' : 'files'} of secrets sealed`);
    for (const text of failed) this.#log.warn(`a file of secrets is not sealed: ${text}`);
  }
}
