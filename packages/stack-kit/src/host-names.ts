// Addresses of the hosts of one connector. The system looks up two names at a time in a process: where its name server is silent, each
// takes some 10 s, and those that it knows wait behind them. So a connector asks for a name once at a time, however often it
// tries to connect, and goes by the addresses that the name had before where the system takes long.
import { ADDRCONFIG, type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { promisify } from 'node:util';
import type { Clock } from '@telltale/schema';

type Ask = (host: string) => Promise<readonly LookupAddress[]>;

/** As `net.connect` wants it. */
type Answer = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** So long, the newest word of the system is waited for where an earlier one is known. */
const patienceMs = 1000;

/** With addresses of kinds alone that the machine has itself, as `net.connect` does it. */
const askSystem: Ask = (host) => promisify(systemLookup)(host, { all: true, hints: ADDRCONFIG });

export class HostNames {
  readonly #clock: Clock;
  readonly #ask: Ask;
  readonly #known = new Map<string, readonly LookupAddress[]>();
  readonly #asked = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(clock: Clock, ask: Ask = askSystem) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** At least one. Rejects as the system does, but where it has no answer and the addresses of before are known. */
  async addresses(host: string): Promise<readonly LookupAddress[]> {
    const asked = this.#askedOnce(host);
    const known = this.#known.get(host);
    if (known === undefined) return asked;
    const late = Promise.withResolvers<readonly LookupAddress[]>();
    const cancel = this.#clock.after(patienceMs, () => late.resolve(known));
    try {
      return await Promise.race([asked, late.promise]);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAI_AGAIN') return known;
      throw error;
    } finally {
      cancel();
    }
  }

  /** For `net.connect` and agents of HTTP. */
  readonly lookup = (host: string, options: LookupOptions, answer: Answer): void => {
    this.addresses(host).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) answer(null, [...addresses]);
        else answer(null, first?.address ?? '', first?.family);
      },
      (error) => answer(error, []),
    );
  };

  #askedOnce(host: string): Promise<readonly LookupAddress[]> {
    const under = this.#asked.get(host);
    if (under !== undefined) return under;
    const asked = this.#ask(host)
      .then((addresses) => {
        this.#known.set(host, addresses);
        return addresses;
      })
      .finally(() => this.#asked.delete(host));
    asked.catch(() => {}); // whoever asked may have gone by the known ones
    this.#asked.set(host, asked);
    return asked;
  }
}
