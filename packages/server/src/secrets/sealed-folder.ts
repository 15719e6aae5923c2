// The key and the files of secrets of a server, opened: what is plain in them is sealed.
import { join } from 'node:path';
import { Seal, type SealKeys } from './seal.ts';
import { SecretFiles } from './secret-files.ts';
import { type KeySource, readKeys } from './secret-key.ts';

export interface SecretsLog {
  info(text: string): void;
  warn(text: string): void;
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

  async open(): Promise<void> {
    const { sealed, failed } = await this.files.sealAll();
    if (sealed > 0) this.#log.info(`${sealed} ${sealed === 1 ? 'file' : 'files'} of secrets sealed`);
    for (const text of failed) this.#log.warn(`a file of secrets is not sealed: ${text}`);
  }
}
