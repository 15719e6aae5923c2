// What says who asks: a token, which goes into a header and never into an address. A browser sends its cookie by itself.

/** A token, or what gives the present one: it is asked before each request, and before each connection of the channel. */
export type Credential = string | (() => string | undefined | Promise<string | undefined>);

/** Without an await where there is none to wait for. */
export function authorizationOf(token: Credential | undefined): Headers | Promise<Headers> {
  if (typeof token !== 'function') return headersOf(token);
  const given = token();
  return given instanceof Promise ? given.then(headersOf) : headersOf(given);
}

type Headers = Readonly<Record<string, string>>;

function headersOf(token: string | undefined): Headers {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
