// The basic schemas of everything on the wire. Code that only works with values needs none of them: a thread that
// checks nothing imports values.ts, and saves the memory of the schemas.
import Type, { type Static } from 'typebox';
import { datatypes, traitsOf } from './datatype.ts';
import { identifierPattern } from './identifier.ts';
import { nameOrPatternPattern } from './name-pattern.ts';
import { prefixedValuePattern } from './value.ts';
import { maxTextBytes } from './value-text.ts';

export const Identifier = Type.String({
  pattern: identifierPattern,
  description: 'A name: 1 to 64 characters of 0-9, a-z, A-Z and _.',
});

export const NameOrPattern = Type.String({
  pattern: nameOrPatternPattern,
  description: 'A name, or a pattern of names, in which * stands for any characters.',
});

export const Datatype = Type.Enum(datatypes, {
  type: 'string',
  description: `${datatypes.map((datatype) => `${datatype} ${traitsOf(datatype).title}`).join(', ')}.`,
});

export const PrefixedValue = Type.String({
  pattern: prefixedValuePattern,
  maxLength: maxTextBytes + 1,
  description: 'A value after the letter of its datatype. Never with an exponent.',
  examples: datatypes.map((datatype) => datatype + traitsOf(datatype).example),
});

export const Quality = Type.Integer({
  minimum: 0,
  maximum: 0xffff,
  description:
    'OPC DA 2.05 quality; the mask 192 distinguishes good (192), uncertain (64) and bad (0). 32768: simulated.',
});

export const ArchiveQuality = Type.Integer({
  minimum: 0,
  maximum: 0xff,
  description: 'OPC DA 2.05 quality; the mask 192 distinguishes good (192), uncertain (64) and bad (0).',
});

export const Timestamp = Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 0, maximum: 999_999 })], {
  maxItems: 2,
  description: 'Seconds since the Unix epoch, and microseconds.',
  examples: [[1700000000, 250000]],
});
export type Timestamp = Static<typeof Timestamp>;

/** One thing that is wrong, where, and what would be right. */
export const Fault = Type.Object(
  {
    path: Type.String({
      description:
        'Where: a JSON pointer into the body, a row and column of a table, or the name of a query parameter.',
    }),
    message: Type.String({ description: 'What is wrong and what is expected.' }),
    family: Type.Optional(Type.String({ description: 'Of a rendering fault: the family of the object.' })),
    name: Type.Optional(Type.String({ description: 'Of a rendering fault: the name of the object.' })),
    field: Type.Optional(Type.String({ description: 'Of a rendering fault: the field of the object.' })),
  },
  { title: 'Fault', additionalProperties: false },
);
export type Fault = Static<typeof Fault>;

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'The address of the page that explains this kind of problem.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What happened here, and what to do.' }),
    errors: Type.Optional(Type.Array(Fault)),
  },
  { title: 'Problem', additionalProperties: false },
);
export type Problem = Static<typeof Problem>;
