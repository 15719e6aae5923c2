// What of a configured point stands on the wire, beside its value: the fields that the data-access document lists.
import { type Command, type Datatype, formatPrefixed, type Measurement, parseText } from '@telltale/schema';
import type { SlotText } from './wire-slots.ts';

export function slotText(point: Measurement | Command): SlotText {
  const { name, datatype, rawDatatype = datatype, description } = point;
  return {
    name,
    address: `,"address":${JSON.stringify(point.address ?? '')}`,
    datatypes: `,"datatype":"${datatype}","raw-datatype":"${rawDatatype}"`,
    euRange: `,"eu-range":${rangeText(datatype, point.euRangeLo, point.euRangeHi)}`,
    rawRange: `,"raw-range":${rangeText(rawDatatype, point.rawRangeLo, point.rawRangeHi)}`,
    description: description === undefined ? '' : `,"description":${JSON.stringify(description)}`,
  };
}

function rangeText(datatype: Datatype, low: string | undefined, high: string | undefined): string {
  return `[${endText(datatype, low)},${endText(datatype, high)}]`;
}

/** As every value that the service emits: in its shortest form, whatever form it was configured in. */
function endText(datatype: Datatype, text: string | undefined): string {
  return text === undefined ? 'null' : `"${formatPrefixed(datatype, parseText(datatype, text))}"`;
}
