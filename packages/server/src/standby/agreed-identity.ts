// Who a site is to a store and a bus, the same on all of its nodes: the first one to lead brings it, the others take it.
import type { SharedState } from '../lease/index.ts';

export interface SiteIdentity {
  readonly id: string;
  /** Epochs of the lease count from here on: above all in which a node has sent before, when etcd was another one or there was none. */
  readonly epochsFrom: number;
}

export interface IdentityOptions {
  /** Of this node; asked where the site has none. */
  readonly own: () => Promise<SiteIdentity>;
  /** Known now; called once. */
  readonly onAgreed: (identity: SiteIdentity) => void;
  /** By what the nodes know each other; called once. */
  readonly onSecret: (secret: string) => void;
}

const key = { family: 'site', name: 'identity' } as const;
const idPattern = /^[0-9a-f]{16}$/;

export class AgreedIdentity {
  readonly #options: IdentityOptions;
  #agreed: SiteIdentity | undefined;

  constructor(options: IdentityOptions) {
    this.#options = options;
  }

  /** Of what another node has stored. Throws where it cannot be understood. */
  take({ family, name, text }: { readonly family: string; readonly name: string; readonly text: string | null }): void {
    if (family !== key.family || name !== key.name || text === null) return;
    const { id, epochsFrom } = JSON.parse(text) as Partial<SiteIdentity>;
    if (typeof id !== 'string' || !idPattern.test(id) || !Number.isSafeInteger(epochsFrom)) {
      throw new Error(`the site is said to be ${text.slice(0, 100)}, which is no id of one`);
    }
    this.#agree({ id, epochsFrom: epochsFrom as number });
  }

  /** This node leads: where the site has none, it is that of this node. Rejects where etcd does not take it. */
  async bring(leading: Pick<SharedState, 'change'>): Promise<void> {
    if (this.#agreed !== undefined) return;
    const own = await this.#options.own();
    await leading.change([{ ...key, bytes: Buffer.from(JSON.stringify(own)) }]);
    this.#agree(own);
  }

  #agree(identity: SiteIdentity): void {
    if (this.#agreed !== undefined) return;
    this.#agreed = identity;
    this.#options.onAgreed(identity);
  }
}
