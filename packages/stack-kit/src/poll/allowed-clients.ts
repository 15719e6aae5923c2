// Which clients may connect to a provider: the variables of a listener, and the check of an address against its list.
import { BlockList, isIP, SocketAddress } from 'node:net';
import Type from 'typebox';
import type { VariableFault } from '../variables.ts';

const maxEntries = 256;

/** Variables of a provider that listens: `Type.Object({ ...listenVariables(502), … })`. */
export function listenVariables(defaultPort: number) {
  return {
    host: Type.String({
      title: 'Address on which to listen',
      description: '`0.0.0.0` or `::` listens on all addresses of the machine.',
      default: '127.0.0.1',
      pattern: '^[0-9a-zA-Z.:_%-]{1,255}$',
      form: 'a host name or IP address',
    }),
    port: Type.Integer({ title: 'Port on which to listen', default: defaultPort, minimum: 1, maximum: 65535 }),
    allowedClients: Type.String({
      title: 'Allowed clients',
      description:
        'Addresses and networks such as `10.0.0.7, 192.168.5.0/24, fd00::/8`, separated by commas. This machine is always ' +
        'allowed. Required to listen beyond this machine.',
      default: '',
    }),
  };
}

/** For `check` of a provider's declaration. `isAuthenticated`: clients authenticate, so no list is needed. */
export function checkListening(
  { host, allowedClients }: { readonly host: string; readonly allowedClients: string },
  { isAuthenticated = false }: { readonly isAuthenticated?: boolean } = {},
): VariableFault[] {
  try {
    AllowedClients.parse(allowedClients);
  } catch (error) {
    return [{ field: 'allowedClients', message: (error as Error).message }];
  }
  if (isLoopback(host) || isAuthenticated || allowedClients.trim() !== '') return [];
  const message = `is required to listen on ${host}: list the allowed clients, such as 192.168.5.0/24`;
  return [{ field: 'allowedClients', message }];
}

export class AllowedClients {
  /** For listeners whose clients all prove who they are. */
  static readonly everyone = new AllowedClients(undefined);
  /** Undefined: everyone. */
  readonly #nets: Nets | undefined;

  private constructor(nets: Nets | undefined) {
    this.#nets = nets;
  }

  /** An empty text allows only this machine. Throws an error that names the invalid entry. */
  static parse(text: string): AllowedClients {
    const nets: Nets = { ipv4: new BlockList(), ipv6: new BlockList() };
    nets.ipv4.addSubnet('127.0.0.0', 8, 'ipv4');
    nets.ipv6.addAddress('::1', 'ipv6');
    const entries = text.trim() === '' ? [] : text.split(',');
    if (entries.length > maxEntries)
      throw new Error(`has ${entries.length} entries: at most ${maxEntries} are allowed`);
    for (const entry of entries) addEntry(nets, entry.trim());
    return new AllowedClients(nets);
  }

  /** An address as a socket reports it, also of the form `::ffff:10.0.0.7`; anything else is not allowed. */
  allows(address: string | undefined): boolean {
    if (this.#nets === undefined) return true;
    const known = canonical(address ?? '');
    return known !== undefined && this.#nets[known.family].check(known.address, known.family);
  }
}

/** Apart: a list of both would take every IPv4 address for one in `::/0`. */
interface Nets {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

interface Canonical {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
}

/** An IPv4 address that is written as IPv6 becomes IPv4; a zone is left out. */
function canonical(text: string): Canonical | undefined {
  const zone = text.indexOf('%');
  const plain = zone < 0 ? text : text.slice(0, zone);
  const version = isIP(plain);
  if (version === 0) return undefined;
  if (version === 4) return { address: plain, family: 'ipv4' };
  const { address } = new SocketAddress({ address: plain, family: 'ipv6' });
  const mapped = /^::ffff:([0-9.]+)$/.exec(address)?.[1];
  return mapped === undefined ? { address, family: 'ipv6' } : { address: mapped, family: 'ipv4' };
}

function addEntry(nets: Nets, entry: string): void {
  const wrong = () => {
    const shown = JSON.stringify(entry.length > 60 ? `${entry.slice(0, 60)}…` : entry);
    return new Error(`has ${shown}: an address or network is expected, such as 10.0.0.7 or 192.168.5.0/24 or fd00::/8`);
  };
  const [, address = '', prefix] = /^([0-9a-fA-F.:]{2,45})(?:\/([0-9]{1,3}))?$/.exec(entry) ?? [];
  const known = canonical(address);
  if (known === undefined) throw wrong();
  if (prefix === undefined) {
    nets[known.family].addAddress(known.address, known.family);
    return;
  }
  const isMapped = known.family === 'ipv4' && isIP(address) === 6;
  const bits = Number(prefix) - (isMapped ? 96 : 0);
  if (bits < 0 || bits > (known.family === 'ipv4' ? 32 : 128)) throw wrong();
  nets[known.family].addSubnet(known.address, bits, known.family);
}

/** Whether a host names the machine itself: `localhost` or an address of loopback. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || AllowedClients.parse('').allows(host);
}
