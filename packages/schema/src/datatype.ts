// The datatypes of measurements and commands: one letter each, which is also the prefix of a value on the wire.
import Type, { type Static } from 'typebox';

export const datatypes = ['b', 'q', 'i', 'l', 'f', 'd', 's'] as const;

export const Datatype = Type.Enum(datatypes, {
  type: 'string',
  description:
    'b boolean, q two-bit state, i 32-bit integer, l 64-bit integer, f single and d double precision number, s text.',
});
export type Datatype = Static<typeof Datatype>;

export function isDatatype(text: string): text is Datatype {
  return (datatypes as readonly string[]).includes(text);
}
