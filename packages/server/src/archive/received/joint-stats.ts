// The figures of several archives together.
import type { ArchiveStats } from '../archive-access.ts';

export function jointStats(all: readonly ArchiveStats[]): ArchiveStats {
  const sum = (of: (stats: ArchiveStats) => number) => all.reduce((total, each) => total + of(each), 0);
  const firsts = all.flatMap(({ firstUs }) => firstUs ?? []);
  const lasts = all.flatMap(({ lastUs }) => lastUs ?? []);
  return {
    series: sum(({ series }) => series),
    records: sum(({ records }) => records),
    bytes: sum(({ bytes }) => bytes),
    journalBytes: sum(({ journalBytes }) => journalBytes),
    blocks: sum(({ blocks }) => blocks),
    firstUs: firsts.length === 0 ? undefined : Math.min(...firsts),
    lastUs: lasts.length === 0 ? undefined : Math.max(...lasts),
    astray: sum(({ astray }) => astray),
    damages: all.flatMap(({ damages }) => damages),
    unmerged: sum(({ unmerged }) => unmerged),
    recent: {
      records: sum(({ recent }) => recent.records),
      journalRecords: sum(({ recent }) => recent.journalRecords),
    },
  };
}
