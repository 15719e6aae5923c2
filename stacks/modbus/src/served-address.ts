// The addresses of a provider: those of a connector, and where a client finds the quality: `hr100:float32;good=di7`. Pure.
import { type Address, addressRegex, parseAddress } from './address.ts';
import type { Order } from './registers.ts';

export interface ServedAddress {
  readonly address: Address;
  /** `good`: a bit that is 1 while the quality is good. `quality`: a register that has its 16 bits. */
  readonly quality: { readonly kind: 'good' | 'quality'; readonly address: Address } | undefined;
}

export type ParsedServedAddress = { served: ServedAddress; fault?: never } | { served?: never; fault: string };

export const servedAddressRegex = `^${addressRegex.slice(1, -1)}(?:;(?:good|quality)=[a-z0-9./]{3,16})?$`;

export function parseServedAddress(text: string, defaultOrder: Order = 'abcd'): ParsedServedAddress {
  const [value = '', suffix] = text.split(';');
  const { address, fault } = parseAddress(value, defaultOrder);
  if (address === undefined) return { fault };
  if (suffix === undefined) return { served: { address, quality: undefined } };
  const [kind, at = ''] = suffix.split('=');
  const parsed = parseAddress(at);
  if (parsed.address === undefined) return { fault: `${kind}: ${parsed.fault}` };
  const quality = parsed.address;
  if (overlaps(address, quality)) return { fault: `${suffix} overlaps the registers of the value` };
  if (kind === 'good') {
    if (quality.layout === undefined) return { served: { address, quality: { kind, address: quality } } };
    return { fault: `good=${at} is a register: name a single bit, as in good=di7 or good=ir200.3` };
  }
  if (kind === 'quality') {
    if (quality.layout !== undefined) return { served: { address, quality: { kind, address: quality } } };
    return { fault: `quality=${at} is a single bit: name a register, as in quality=ir200` };
  }
  return { fault: `${JSON.stringify(suffix)} is neither good=… nor quality=…` };
}

/** Where only one of them names its unit, it counts as the same. */
function overlaps(a: Address, b: Address): boolean {
  if (a.area !== b.area || (a.unit ?? b.unit) !== (b.unit ?? a.unit)) return false;
  if (b.start < a.start || b.start >= a.start + a.length) return false;
  return a.bit === undefined || b.bit === undefined || a.bit === b.bit;
}
