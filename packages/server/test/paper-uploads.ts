// Keeps what is known of uploads as long as the test: a restart is an `Executables` that is given what another left.
import type { UploadRecord, UploadStore } from '../src/modules/index.ts';

export class PaperUploads implements UploadStore {
  readonly stored = new Map<string, UploadRecord>();
  /** Called before each change; what it throws is what the disk says. */
  onChange: () => void = () => undefined;

  async storeUpload(upload: UploadRecord): Promise<void> {
    this.onChange();
    this.stored.set(upload.name, upload);
  }

  async forgetUpload(name: string): Promise<void> {
    this.onChange();
    this.stored.delete(name);
  }
}
