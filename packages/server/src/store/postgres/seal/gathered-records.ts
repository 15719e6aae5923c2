// The records of many sections by series, each series in one piece: in the order in which they count.
import { type Datatype, form, traitsOf } from '@telltale/schema/values';
import { Columns, replaces } from '../../../archive/index.ts';
import { eachSeries } from '../../../archive/parcel/index.ts';
import { comparePlaces } from '../../read/place.ts';
import type { SealedSeries } from './chunk-rows.ts';
import type { PlacedSection } from './stretch.ts';

export type SeriesOfEpoch = (epoch: number, number: number) => SealedSeries;

/** The records of a series: from one position up to the other. */
export interface SeriesSlice {
  readonly series: SealedSeries;
  readonly from: number;
  readonly to: number;
  /** In order of time, all of one run, nothing hides any of them, and none of them replaces others. */
  readonly isPlain: boolean;
}

/** Used again, since it is much: of what is gathered there last, nothing is left of what was before. */
export class GatherMemory {
  readonly columns = new Columns();
  sectionOf = new Uint16Array();

  reserve(records: number): void {
    this.columns.clear();
    this.columns.reserve(records);
    this.columns.count = records;
    if (this.sectionOf.length < records) this.sectionOf = new Uint16Array(this.columns.capacity);
  }
}

export class GatheredRecords {
  readonly columns: Columns;
  /** Of each record, the position of its section in `sections`. */
  readonly sectionOf: Uint16Array;
  /** In order of their ranks, then as they came. */
  readonly sections: readonly PlacedSection[];
  readonly slices: readonly SeriesSlice[];

  constructor(sections: readonly PlacedSection[], seriesOf: SeriesOfEpoch, memory = new GatherMemory()) {
    this.sections = sections.toSorted(comparePlaces);
    const found = new Map<number, FoundSeries>();
    const pieces = this.sections.map(({ epoch, section }) => {
      const all: FoundSeries[] = [];
      eachSeries(section.ends, (at, from, to) => {
        const series = seriesOf(epoch, section.series[at] as number);
        const one = found.get(series.id) ?? new FoundSeries(series);
        if (one.to === 0) found.set(series.id, one);
        one.to += to - from;
        all.push(one);
      });
      return all;
    });
    // Texts in front, so that there is no gap in the list of them.
    const texts = [...found.values()].filter(({ isText }) => isText);
    const inOrder = [...texts, ...[...found.values()].filter(({ isText }) => !isText)];
    let count = 0;
    for (const one of inOrder) count = one.begin(count);
    memory.reserve(count);
    this.columns = memory.columns;
    this.sectionOf = memory.sectionOf;
    for (const [at, placed] of this.sections.entries()) this.#add(at, placed, pieces[at] as FoundSeries[]);
    this.slices = inOrder.map(({ series, from, to, isPlain }) => ({ series, from, to, isPlain }));
  }

  #add(index: number, { run, isOnTop, section }: PlacedSection, pieces: readonly FoundSeries[]): void {
    const source = section.columns;
    const [sourceWords, words] = [wordsOf(source), wordsOf(this.columns)];
    const { times, qualities, texts } = this.columns;
    eachSeries(section.ends, (at, from, to) => {
      const one = pieces[at] as FoundSeries;
      one.isPlain &&= isOnTop && (one.run === undefined || one.run === run);
      one.run = run;
      const position = one.to;
      const end = position + to - from;
      let last = one.lastUs;
      let flags = 0;
      for (let i = from; i < to; i++) {
        const timeUs = source.times[i] as number;
        if (timeUs < last) one.isPlain = false;
        last = timeUs;
        flags |= source.qualities[i] as number;
      }
      times.set(source.times.subarray(from, to), position);
      words.set(sourceWords.subarray(2 * from, 2 * to), 2 * position);
      qualities.set(source.qualities.subarray(from, to), position);
      if (one.isText) for (let i = from; i < to; i++) texts[position + i - from] = source.texts[i] ?? '';
      if ((flags & replaces) !== 0) one.isPlain = false;
      this.sectionOf.fill(index, position, end);
      one.lastUs = last;
      one.to = end;
    });
  }
}

class FoundSeries {
  readonly series: SealedSeries;
  readonly isText: boolean;
  from = 0;
  /** First how many there are, then how far they have come. */
  to = 0;
  run: number | undefined;
  lastUs = -1;
  isPlain = true;

  constructor(series: SealedSeries) {
    this.series = series;
    this.isText = isText(series.datatype);
  }

  /** Answers where the next one begins. */
  begin(from: number): number {
    const end = from + this.to;
    this.from = from;
    this.to = from;
    return end;
  }
}

function isText(datatype: Datatype): boolean {
  return traitsOf(datatype).form === form.text;
}

/** Of doubles and integers, since a double with the bits of an integer may lose some of them on its way. */
function wordsOf({ numbers }: Columns): Int32Array {
  return new Int32Array(numbers.buffer, numbers.byteOffset, 2 * numbers.length);
}
