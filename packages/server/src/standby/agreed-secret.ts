// By what the nodes of a site know each other: the first one to lead makes it, the others take it.
import { randomBytes } from 'node:crypto';
import type { SharedState } from '../lease/index.ts';

const key = { family: 'site', name: 'secret' } as const;
const pattern = /^[0-9a-f]{64}$/;

export class AgreedSecret {
  readonly #onAgreed: (secret: string) => void;
  #isAgreed = false;

  /** Called once. */
  constructor(onAgreed: (secret: string) => void) {
    this.#onAgreed = onAgreed;
  }

  /** Of what another node has stored. Throws where it cannot be understood; the message does not have it. */
  take({ family, name, text }: { readonly family: string; readonly name: string; readonly text: string | null }): void {
    if (family !== key.family || name !== key.name || text === null) return;
    if (!pattern.test(text)) throw new Error('the secret of the nodes of the site is none');
    this.#agree(text);
  }

  /** This node leads: where the site has none, it makes one. Rejects where etcd does not take it. */
  async bring(leading: Pick<SharedState, 'change'>): Promise<void> {
    if (this.#isAgreed) return;
    const secret = randomBytes(32).toString('hex');
    await leading.change([{ ...key, bytes: Buffer.from(secret) }]);
    this.#agree(secret);
  }

  #agree(secret: string): void {
    if (this.#isAgreed) return;
    this.#isAgreed = true;
    this.#onAgreed(secret);
  }
}
