// What the value of a point depends on: where it lies, and how it is read and scaled. While this is the same, a value
// that was read or written before still counts.
import type { Command, Measurement } from '@telltale/schema';

export function sourceOf(point: Measurement | Command): string {
  const { connectorName, address, datatype, rawDatatype, rawRangeLo, rawRangeHi, euRangeLo, euRangeHi } = point;
  // Neither has anything to do with the device.
  const { archRetention: _, precision: __, ...properties } = point.properties ?? {};
  const mask = (point.stackUmask ?? 0) & 3;
  return JSON.stringify([
    connectorName,
    address,
    datatype,
    rawDatatype,
    rawRangeLo,
    rawRangeHi,
    euRangeLo,
    euRangeHi,
    mask,
    properties,
  ]);
}
