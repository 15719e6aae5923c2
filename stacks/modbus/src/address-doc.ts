// The documentation of the addresses and their examples.
import { type AddressExample, markdownTable } from '@telltale/stack-kit';
import { holders } from './check-address.ts';

const locations = `\`[unit/]location[.bit][:type][/order]\`

- \`location\`: \`hr\` for a holding register, \`ir\` an input register, \`co\` a coil, \`di\` a discrete input, with its number in
  the protocol, counted from 0: \`hr0\` to \`hr65535\`. Or the classic notation of five or six digits, counted from 1:
  \`40001\` and \`400001\` are \`hr0\`, \`30001\` is \`ir0\`, \`10001\` is \`di0\`, \`00001\` is \`co0\`.
- \`unit\`: 0 to 255. Default: the variable \`unit\`.
- \`.bit\`: one bit of a register; 0 is the least significant, 15 the most significant.
- \`:type\`: how the value is encoded in consecutive registers. Default: \`uint16\`.
- \`/order\`: the byte order. For two and four registers \`abcd\`, \`cdab\`, \`badc\` or \`dcba\`; default: the variable \`order\`. For
  single registers and texts \`ab\` or \`ba\`; default: \`ab\`.`;

const raw = (type: keyof typeof holders) => holders[type].join(', ');

const connectorTypes = markdownTable(
  ['Type', 'Registers', 'Raw datatype', 'Limits'],
  [
    ['a coil, a discrete input, a bit', '', raw('bit'), '0 and 1'],
    [
      '`int16`, `uint16`',
      '1',
      raw('int16'),
      'with b only 0 and 1, with q only 0 to 3: any other value is bad, sensor failure',
    ],
    ['`int32`', '2', raw('int32'), 'f rounds above 2^24'],
    ['`uint32`', '2', raw('uint32'), 'not i, which ends at 2^31 - 1; f rounds above 2^24'],
    ['`int64`', '4', raw('int64'), 'exact with l; d rounds above 2^53, f above 2^24'],
    ['`uint64`', '4', raw('uint64'), 'with l a value above 2^63 - 1 is bad, sensor failure; d and f round as above'],
    ['`float32`', '2', raw('float32'), 'NaN and infinities are bad, sensor failure'],
    ['`float64`', '4', raw('float64'), 'the same; f rounds, and a value out of its range is bad'],
    [
      '`bcd16`, `bcd32`',
      '1, 2',
      raw('bcd16'),
      '0 to 9999, 0 to 99999999; a digit above 9 is bad, sensor failure; f rounds above 2^24',
    ],
    [
      '`string(n)`, `latin1(n)`',
      'n / 2',
      raw('string'),
      'n bytes, 1 to 250 (written: 246), UTF-8 or Latin-1, up to the first zero byte, without trailing spaces; invalid UTF-8 is bad, sensor failure',
    ],
  ],
);

const servedTypes = `Types are those of the connector: \`int16\`, \`uint16\`, \`int32\`, \`uint32\`, \`int64\`, \`uint64\`, \`float32\`, \`float64\`, \`bcd16\`,
\`bcd32\`, \`string(n)\`, \`latin1(n)\`. Coils, discrete inputs and bits are of datatype b, texts of s. Numbers may be served as any
numeric type: fractions are rounded to integers, and a value out of range is served as one of bad quality. Datatypes i, l, f
and d require a type.`;

export const measurementDoc = `${locations}\n\n${connectorTypes}`;

export const commandDoc = `${locations}

Only coils and holding registers, and bits of these. Types and raw datatypes are those of measurements. For integer types,
fractions are rounded; a value out of range is refused. Texts are padded with zero bytes.`;

export const servedMeasurementDoc = `${locations}

${servedTypes}

A suffix \`;good=location\` serves a bit, such as \`di7\` or \`ir200.3\`, that is 1 while the quality is good. \`;quality=location\`
serves the quality in a register, such as \`ir200\`: 192 is good, 64 to 127 uncertain, below that bad.`;

export const servedCommandDoc = `${locations}

${servedTypes} Only coils and holding registers, and bits of these. A read returns the value last written.`;

export const measurementExamples: readonly AddressExample[] = [
  { address: 'hr100', meaning: 'holding register 100, counted from 0, unsigned' },
  { address: '400101', meaning: 'the same in the classic notation, counted from 1' },
  { address: 'hr100:float32', meaning: 'a float in the registers 100 and 101' },
  { address: 'hr100:float32/cdab', meaning: 'the same, less significant word first' },
  { address: 'ir7:int16', meaning: 'an input register, signed' },
  { address: '3/hr100', meaning: 'a register of unit 3' },
  { address: 'hr5.3', meaning: 'bit 3 of a holding register' },
  { address: 'co12', meaning: 'a coil' },
  { address: 'di3', meaning: 'a discrete input' },
  { address: 'hr10:string(16)', meaning: 'a text of 16 bytes, in eight registers' },
  { address: 'hr8:bcd32', meaning: 'eight decimal digits, in two registers' },
  { address: 'hr20:uint64', meaning: 'a counter of 64 bits' },
];

export const commandExamples: readonly AddressExample[] = [
  { address: 'hr100', meaning: 'writes holding register 100, counted from 0' },
  { address: 'hr100:float32/cdab', meaning: 'writes two registers at once' },
  { address: '400101:int16', meaning: 'the classic notation, counted from 1' },
  { address: 'co12', meaning: 'switches a coil' },
  { address: 'hr5.3', meaning: 'sets or clears bit 3 without changing the others' },
  { address: '3/hr10:string(16)', meaning: 'writes a text to unit 3' },
];

export const servedMeasurementExamples: readonly AddressExample[] = [
  { address: 'ir100:float32', meaning: 'input registers 100 and 101' },
  { address: 'di3', meaning: 'a discrete input' },
  { address: 'hr100:int16;good=di7', meaning: 'a holding register; discrete input 7 is 1 while it is good' },
  { address: 'ir110:float64;quality=ir114', meaning: 'four registers, and the quality in the next one' },
  { address: 'ir5.3', meaning: 'bit 3 of an input register' },
  { address: '2/hr10:string(16)', meaning: 'a text of unit 2' },
];

export const servedCommandExamples: readonly AddressExample[] = [
  { address: 'co12', meaning: 'a client switches the coil' },
  { address: 'hr200:float32', meaning: 'a client writes both registers at once' },
  { address: '400101:int16', meaning: 'the classic notation, counted from 1' },
];
