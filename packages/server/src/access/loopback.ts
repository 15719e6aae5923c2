// Whether an address is of this machine alone.

/** Of a socket: also of IPv4 in IPv6. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(address);
}
