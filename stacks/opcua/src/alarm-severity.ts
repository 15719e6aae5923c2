// Severities: OPC UA has 1 to 1000, of which 1000 is the most severe; here, 0 is.

const most = 1000;
const least = 1;
const step = 100;

export function toUaSeverity(severity: number): number {
  return Math.max(least, most - step * severity);
}

export function fromUaSeverity(severity: number): number {
  return Math.max(0, Math.round((most - severity) / step));
}
