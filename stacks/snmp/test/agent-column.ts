// A column of an agent as the tests read it: each row has its own number.
import { encodeValue } from '../src/snmp-value.ts';

export const column = '1.3.6.1.4.1.99999.1';
export const rows = (count: number) =>
  Array.from({ length: count }, (_, row) => ({
    name: `${row + 1}`,
    address: `${column}.${row + 1}`,
    datatype: 'i' as const,
  }));
export const value = (oid: string) => encodeValue(oid, Number(oid.slice(column.length + 1)), 'integer');
export const vars = (port: number, more: Readonly<Record<string, string>> = {}) => ({
  hosts: `127.0.0.1:${port}`,
  community: 'secret',
  scanPeriodMs: '30',
  timeoutMs: '150',
  ...more,
});
