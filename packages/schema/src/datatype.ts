// The datatypes of measurements and commands: one letter each, which is also the prefix of a value on the wire.

export const datatypes = ['b', 'q', 'i', 'l', 'f', 'd', 's'] as const;

export type Datatype = (typeof datatypes)[number];

export function isDatatype(text: string): text is Datatype {
  return (datatypes as readonly string[]).includes(text);
}
