// Distinguished names as people and servers write them, in one form by which they are compared.

/** Parts of a name, with what is escaped or in quotes left as it is. */
const part = /(?:\\.|"(?:[^"\\]|\\.)*"|[^,;\\"])+/gs;

/** Without spaces around `,` and `=`, and in lower case: attributes of groups and people ignore the case (RFC 4519). */
export function comparableDn(dn: string): string {
  const parts = dn.match(part) ?? [];
  return parts
    .map((each) => {
      const at = each.indexOf('=');
      if (at < 0) return each.trim();
      return `${each.slice(0, at).trim()}=${trimValue(each.slice(at + 1))}`;
    })
    .join(',')
    .toLowerCase();
}

/** An escaped space at the end belongs to the value. */
function trimValue(value: string): string {
  const text = value.trimStart();
  const trimmed = text.trimEnd();
  return trimmed.endsWith('\\') && trimmed.length < text.length ? `${trimmed} ` : trimmed;
}
