// The syntax of the addresses of a stack: how it is declared, and how an address is checked against it.
import { type Datatype, datatypes } from '@telltale/schema';

export type PointKind = 'measurement' | 'command';

/** What has an address: a point, or an alarm that a device raises. */
export type AddressKind = PointKind | 'alarm';

/** What an address may depend on besides itself. An alarm is `b`. */
export interface Point {
  readonly datatype: Datatype;
  readonly rawDatatype?: Datatype | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** The property of this name, where the point itself has it. */
export function propertyOf({ properties = {} }: Pick<Point, 'properties'>, name: string): string | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

export interface AddressExample {
  readonly address: string;
  readonly meaning: string;
}

export interface AddressSyntax {
  /** Anchored at both ends; must not backtrack catastrophically: `findSlowAddress` attacks it in the stack's test. */
  readonly regex: string;
  /** Markdown. */
  readonly doc: string;
  /** At least one; each is right for at least one datatype. */
  readonly examples: readonly AddressExample[];
  /** Called with addresses that match the regex. Says what is wrong and what is expected, or nothing. */
  check?(address: string, point: Point): string | undefined;
}

/** No regex and no check sees a longer address. */
export const maxAddressLength = 1024;

/** Throws where the declaration is wrong. Returns the check of one address. */
export function compileSyntax(
  syntax: AddressSyntax,
  subject: string,
): (address: string, point: Point) => string | undefined {
  const regex = new RegExp(syntax.regex, 'u');
  if (!isAnchored(syntax.regex)) throw new Error(`the regex ${syntax.regex} must be anchored: ^…$, as a whole`);
  const [first] = syntax.examples;
  if (first === undefined) throw new Error('at least one example is required');
  const check = (address: string, point: Point): string | undefined => {
    if (address === '') return `an address is required, for example ${example(syntax, '')}`;
    if (address.length > maxAddressLength) {
      return `has ${address.length} characters: at most ${maxAddressLength} are allowed`;
    }
    if (!regex.test(address)) {
      return `${JSON.stringify(address)} is not an address of ${subject}: write it as in ${example(syntax, address)}`;
    }
    const wrong = tryCheck(syntax, address, point);
    return wrong === undefined ? undefined : `${wrong}; for example ${example(syntax, address)}`;
  };
  for (const { address } of syntax.examples) {
    const wrong = datatypes.map((datatype) => check(address, { datatype }));
    if (!wrong.includes(undefined)) throw new Error(`the example ${address} is invalid: ${wrong[0]}`);
  }
  return check;
}

/** A mistake in one stack's check is a fault of that address; it does not stop the others. */
function tryCheck(syntax: AddressSyntax, address: string, point: Point): string | undefined {
  try {
    return syntax.check?.(address, point);
  } catch (error) {
    return `the stack failed to check ${JSON.stringify(address)}: ${error instanceof Error ? error.message : error}`;
  }
}

/** The example that begins most like the address. */
function example({ examples }: AddressSyntax, address: string): string {
  const alike = (other: string) => {
    let at = 0;
    while (at < other.length && other[at] === address[at]) at++;
    return at;
  };
  return examples.map((each) => each.address).reduce((a, b) => (alike(b) > alike(a) ? b : a));
}

/** Whether ^ and $ hold for the whole: `^a|b$` is anchored only in its halves. */
function isAnchored(regex: string): boolean {
  let depth = 0;
  let inClass = false;
  let last = '';
  for (let at = 0; at < regex.length; at++) {
    last = regex.charAt(at);
    if (last === '\\') last += regex.charAt(++at);
    else if (last === '[') inClass = true;
    else if (last === ']') inClass = false;
    else if (inClass) continue;
    else if (last === '(') depth++;
    else if (last === ')') depth--;
    else if (last === '|' && depth === 0) return false;
  }
  return regex.startsWith('^') && last === '$' && depth === 0;
}
