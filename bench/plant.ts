// The configuration that the benchmarks work with: measurements as plants have them, with some fifteen fields each.
import type { Connector, Measurement } from '@telltale/schema';

export const connector: Connector = { name: 'plc', stackName: 'simulator' };

/** A large plant. */
export const plantSize = 100_000;

const areas = ['intake', 'filter', 'reservoir', 'pumping', 'network', 'chlorination', 'sludge', 'power'];
const quantities = [
  { word: 'level', eu: 'm', high: '12.5' },
  { word: 'flow', eu: 'm3/h', high: '850' },
  { word: 'pressure', eu: 'bar', high: '10' },
  { word: 'turbidity', eu: 'NTU', high: '4' },
  { word: 'temperature', eu: '°C', high: '80' },
];

export function measurement(index: number): Measurement {
  const area = areas[index % areas.length] ?? '';
  const { word, eu, high } = quantities[index % quantities.length] ?? { word: '', eu: '', high: '1' };
  return {
    name: `${area}_${word}_${String(index).padStart(6, '0')}`,
    address: `bus(${area}.${word}_${index})`,
    description: `${word} of ${area}, transmitter ${index}`,
    datatype: 'd',
    rawDatatype: 'i',
    connectorName: connector.name,
    rawRangeLo: '0',
    rawRangeHi: '27648',
    euRangeLo: '0',
    euRangeHi: high,
    archMode: 'change',
    archPeriod: 3_600_000,
    archValueDeadband: '0.01',
    eu,
    enabled: true,
    properties: { tag: `${area.slice(0, 2).toUpperCase()}-${index}`, drawing: `P-${index % 97}` },
    deadband: '0.1%',
  };
}

export function measurements(count: number): Measurement[] {
  return Array.from({ length: count }, (_, index) => measurement(index));
}

/** The body of a transaction, as bytes: making them is not the service's work. */
export function putAll(objects: readonly Measurement[]): Uint8Array {
  const operations = objects.map((object) => ({ operation: 'put', family: 'measurements', name: object.name, object }));
  return Buffer.from(JSON.stringify({ operations }));
}

export function deleteAll(objects: readonly Measurement[]): Uint8Array {
  const operations = objects.map(({ name }) => ({ operation: 'delete', family: 'measurements', name }));
  return Buffer.from(JSON.stringify({ operations }));
}
