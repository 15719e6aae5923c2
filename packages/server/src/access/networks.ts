// Lists of addresses and networks, and whether an address is in one.
import { BlockList, isIP } from 'node:net';

export class Networks {
  /** Apart: a list of both would take every IPv4 address for one in `::/0`. */
  readonly #lists = { 4: new BlockList(), 6: new BlockList() } as const;

  /** Such as 10.0.0.7, 10.1.0.0/16 or fd00::/8; throws an error that names what is none. */
  constructor(texts: readonly string[]) {
    for (const text of texts) this.#add(text);
  }

  #add(text: string): void {
    const [address = '', bits, ...rest] = text.split('/');
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (version === 0 || rest.length > 0 || length < 0 || length > most) {
      throw new Error(`${JSON.stringify(text.slice(0, 60))} is no address or network, such as 10.1.0.0/16.`);
    }
    this.#lists[version as 4 | 6].addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }

  /** Also of the form `::ffff:10.0.0.7`, as a socket reports it. */
  has(source: string | undefined): boolean {
    const address = plainAddress(source ?? '');
    const version = isIP(address);
    return version !== 0 && this.#lists[version as 4 | 6].check(address, version === 4 ? 'ipv4' : 'ipv6');
  }
}

/** An IPv4 address that is written as IPv6 becomes IPv4; a zone is left out. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}
