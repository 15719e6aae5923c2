// Where the rows of alarms lead to.
import { pointPath } from '../../parts/point-path.ts';

const beforeS = 600;
const afterS = 300;

export function alarmAddress(name: string): string {
  return pointPath('alarms', name);
}

/** The trend of a measurement from ten minutes before. */
export function trendAddress(measurement: string, us: number): string {
  const s = us / 1e6;
  const [from, until] = [Math.floor(s - beforeS), Math.ceil(s + afterS)];
  return `/trends?pens=${encodeURIComponent(measurement)}&from=${from}&until=${until}`;
}
