// Checks a named trend before it is rendered: its axes. Points that do not exist are no fault: they are shown as unknown.
import type { Trend } from '@telltale/schema';

export function checkTrend({ axes = [] }: Trend, report: (field: string, message: string) => void): void {
  const names = new Set<string>();
  axes.forEach(({ name, lo, hi }, index) => {
    if (names.has(name)) report(`axes/${index}/name`, `${JSON.stringify(name)} is the name of another axis already`);
    names.add(name);
    if (lo !== undefined && hi !== undefined && lo >= hi) report(`axes/${index}/hi`, 'must be more than lo');
  });
}
