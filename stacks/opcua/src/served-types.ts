// The type of OPC UA that a point is served as: its property `type`, where it has one that fits its datatype. Without the library,
// which the declaration of the stack does not load.
import { form, traitsOf } from '@telltale/schema';
import { propertyOf, type StackPoint } from '@telltale/stack-kit';

const whole = ['SByte', 'Byte', 'Int16', 'UInt16', 'Int32', 'UInt32', 'Int64', 'UInt64'] as const;
const texts = ['String', 'LocalizedText', 'DateTime', 'Guid', 'ByteString', 'UInt64'] as const;
const decimals = ['Float', 'Double', 'DateTime'] as const;

export type ServedTypeName = (typeof whole | typeof texts | typeof decimals)[number] | 'Boolean' | 'Enumeration';

type Typed = Pick<StackPoint, 'datatype'> & { readonly properties?: StackPoint['properties'] | undefined };

const maxStates = 1000;
const maxStateLength = 100;

/** Those that every value of the datatype has a place in, or that are checked value by value. */
function typesFor(datatype: StackPoint['datatype']): readonly ServedTypeName[] {
  const { form: held, precision, isBoolean } = traitsOf(datatype);
  if (held === form.text) return texts;
  if (isBoolean) return ['Boolean', ...whole, 'Enumeration'];
  if (precision !== 'whole') return precision === 'single' ? ['Float', 'Double'] : decimals;
  const more = held === form.long ? (['DateTime'] as const) : [];
  return ['Boolean', ...whole, 'Float', 'Double', ...more, 'Enumeration'];
}

/** Undefined: by the datatype. */
export function servedTypeOf(point: Typed): ServedTypeName | undefined {
  const type = propertyOf(point, 'type') as ServedTypeName | undefined;
  return type !== undefined && checkServedType(point) === undefined ? type : undefined;
}

/** The names of the states of an enumeration, from 0 on. */
export function statesOf(point: Typed): string[] {
  return (propertyOf(point, 'enumStrings') ?? '').split(',').map((state) => state.trim());
}

/** What is wrong with the properties of a point, or nothing. */
export function checkServedType(point: Typed): string | undefined {
  const type = propertyOf(point, 'type');
  if (type === undefined) return undefined;
  const types = typesFor(point.datatype);
  if (!(types as readonly string[]).includes(type)) {
    return `the property type is ${JSON.stringify(type.slice(0, 50))}: for datatype ${point.datatype} it may be ${types.join(', ')}`;
  }
  if (type !== 'Enumeration') return undefined;
  const states = statesOf(point);
  if (states.length <= maxStates && states.every(({ length }) => length > 0 && length <= maxStateLength)) {
    return undefined;
  }
  return 'the property enumStrings must name the states of the enumeration, from 0 on, as in Off,On,Fault';
}
