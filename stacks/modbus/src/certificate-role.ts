// The role of a client in its certificate, as Modbus/TCP Security has it: an extension with one text. The certificate was
// parsed and verified before; here its structure is only walked through.

/** 1.3.6.1.4.1.50316.802.1 */
const roleId = Buffer.from('2b0601040183890c862201', 'hex');
const tags = { oid: 0x06, octets: 0x04, utf8: 0x0c, sequence: 0x30, extensions: 0xa3 } as const;
const maxRoleBytes = 256;

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** Undefined where it has none, more than one, or none that can be read. */
export function roleOf({ raw }: { readonly raw: Buffer }): string | undefined {
  const [certificate] = elementsOf(raw);
  const [body] = elementsOf(contentOf(certificate, tags.sequence));
  const wrapped = elementsOf(contentOf(body, tags.sequence)).find(({ tag }) => tag === tags.extensions);
  const [list] = elementsOf(contentOf(wrapped, tags.extensions));
  const values = elementsOf(contentOf(list, tags.sequence)).flatMap((extension) => {
    // Its identifier, whether it is critical where that is said, and its value.
    const parts = elementsOf(contentOf(extension, tags.sequence));
    return contentOf(parts[0], tags.oid).equals(roleId) ? [contentOf(parts.at(-1), tags.octets)] : [];
  });
  if (values.length !== 1) return undefined;
  const [text, ...others] = elementsOf(values[0] ?? noBytes);
  const bytes = contentOf(text, tags.utf8);
  if (others.length > 0 || bytes.length === 0 || bytes.length > maxRoleBytes) return undefined;
  return bytes.toString('utf8');
}

const noBytes = Buffer.alloc(0);

function contentOf(element: Element | undefined, tag: number): Buffer {
  return element?.tag === tag ? element.content : noBytes;
}

/** One after the other, up to the first that is not whole. */
function elementsOf(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + lengthBytes;
    if (lengthBytes > 4 || first === 0x80 || start > bytes.length) break;
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    if (start + length > bytes.length) break;
    found.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
