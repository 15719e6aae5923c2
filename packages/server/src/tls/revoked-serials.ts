// Reads which certificates a list of revocation (CRL, RFC 5280, 5.1) names: OpenSSL looks only at new connections.

const sequence = 0x30;

/** Of the lists in PEM, by serial number; undefined where one cannot be read. */
export function revokedSerials(lists: readonly Buffer[] | undefined): ReadonlySet<bigint> | undefined {
  const found = new Set<bigint>();
  try {
    for (const list of lists ?? []) {
      const der = Buffer.from(list.toString('latin1').replaceAll(/-----[A-Z0-9 ]+-----|\s/g, ''), 'base64');
      for (const serial of serialsIn(der)) found.add(serial);
    }
  } catch {
    return undefined;
  }
  return found;
}

/** Before the revoked ones there are two sequences, algorithm and issuer, and times. */
function* serialsIn(der: Buffer): Generator<bigint> {
  const [list] = elements(der);
  const [signed] = elements(contentOf(list));
  const [, , revoked] = [...elements(contentOf(signed))].filter(({ tag }) => tag === sequence);
  if (revoked === undefined) return;
  for (const entry of elements(revoked.content)) {
    const [serial] = elements(entry.content);
    yield BigInt(`0x${contentOf(serial).toString('hex')}`);
  }
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

function* elements(der: Buffer): Generator<Element> {
  for (let at = 0; at < der.length; ) {
    const tag = der.readUInt8(at);
    const first = der.readUInt8(at + 1);
    const digits = first < 0x80 ? 0 : first & 0x7f;
    const length = digits === 0 ? first : der.readUIntBE(at + 2, digits);
    const start = at + 2 + digits;
    if (start + length > der.length) throw new Error('it is cut off');
    yield { tag, content: der.subarray(start, start + length) };
    at = start + length;
  }
}

function contentOf(element: Element | undefined): Buffer {
  if (element === undefined) throw new Error('it is empty');
  return element.content;
}
