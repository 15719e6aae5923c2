// The tags and texts of an XML part of a workbook, in order, a piece of the bytes at a time. Document types, and with them
// entities of a file's own, are refused; namespaces are passed over, as every name has one meaning here.
import { malformed } from './read-zip.ts';

const pieceBytes = 256 << 10;
/** Longer than any tag, and than a text of a cell with every character escaped. */
const mostTokenLength = 1 << 20;

export interface XmlVisitor {
  /** `attributes` as they stand in the tag: see `attributeOf`. */
  open(name: string, attributes: string): void;
  close(name: string): void;
  text(text: string): void;
}

/** In steps, one for each piece. */
export function* readXml(bytes: Buffer, visitor: XmlVisitor): Generator<undefined, void> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const isLast = at + pieceBytes >= bytes.length;
    rest = visitTokens(rest + decode(utf8, bytes.subarray(at, at + pieceBytes), isLast), visitor);
    if (rest.length > mostTokenLength) throw malformed('a tag or text of it is too long');
    yield;
  }
  if (rest.trim() !== '') throw malformed('its XML is cut off');
}

function decode(utf8: TextDecoder, piece: Uint8Array, isLast: boolean): string {
  try {
    return utf8.decode(piece, { stream: !isLast });
  } catch {
    throw malformed('its XML is not UTF-8');
  }
}

/** Visits what is whole, and returns the rest. */
function visitTokens(text: string, visitor: XmlVisitor): string {
  let at = 0;
  for (;;) {
    const tag = text.indexOf('<', at);
    if (tag < 0) return text.slice(at);
    const end = endOfTag(text, tag);
    if (end < 0) return text.slice(at);
    if (tag > at) visitor.text(unescaped(text.slice(at, tag)));
    visitTag(text, tag, end, visitor);
    at = end;
  }
}

/** Behind the tag; -1 where its end is not there yet. */
function endOfTag(text: string, tag: number): number {
  const next = text.charCodeAt(tag + 1);
  if (Number.isNaN(next)) return -1;
  if (next === 0x21) {
    if (text.length < tag + 9) return -1;
    if (text.startsWith('<!--', tag)) return after(text, '-->', tag + 4);
    if (text.startsWith('<![CDATA[', tag)) return after(text, ']]>', tag + 9);
    throw malformed('its XML has a document type, which no spreadsheet program writes');
  }
  if (next === 0x3f) return after(text, '?>', tag + 2);
  return endOfElement(text, tag);
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at < 0 ? -1 : at + end.length;
}

/** A `>` in the value of an attribute ends nothing. */
function endOfElement(text: string, from: number): number {
  let quote = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) quote = 0;
    else if (quote !== 0) continue;
    else if (code === 0x3e) return at + 1;
    else if (code === 0x22 || code === 0x27) quote = code;
  }
  return -1;
}

function visitTag(text: string, tag: number, end: number, visitor: XmlVisitor): void {
  const first = text.charCodeAt(tag + 1);
  if (first === 0x3f) return;
  if (first === 0x21) {
    if (text.startsWith('<![CDATA[', tag)) visitor.text(text.slice(tag + 9, end - 3));
    return;
  }
  if (first === 0x2f) {
    visitor.close(localName(text.slice(tag + 2, end - 1).trimEnd()));
    return;
  }
  const isEmpty = text.charCodeAt(end - 2) === 0x2f;
  const inner = text.slice(tag + 1, isEmpty ? end - 2 : end - 1);
  const space = inner.search(/\s/);
  const name = localName(space < 0 ? inner : inner.slice(0, space));
  visitor.open(name, space < 0 ? '' : inner.slice(space));
  if (isEmpty) visitor.close(name);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Of a name with or without a namespace; undefined where there is none. */
export function attributeOf(attributes: string, name: string): string | undefined {
  for (let at = attributes.indexOf(name); at >= 0; at = attributes.indexOf(name, at + 1)) {
    const before = attributes.charCodeAt(at - 1);
    if (before > 0x20 && before !== 0x3a) continue;
    const [, double, single] = /^\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(attributes.slice(at + name.length)) ?? [];
    const value = double ?? single;
    if (value !== undefined) return unescaped(value);
  }
  return undefined;
}

const named: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

function unescaped(text: string): string {
  if (!text.includes('&') && !text.includes('\r')) return text;
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));|&/gi, (_, decimal, hex, name) => {
      const known = named.get(name);
      if (known !== undefined) return known;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      if (code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)) return String.fromCodePoint(code);
      throw malformed('its XML has an entity that is none');
    });
}
