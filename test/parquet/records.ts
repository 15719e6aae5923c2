// Records for tests of Parquet files: of every datatype, with the values at which formats go wrong, and the rows that they come to.
import { type ArchiveColumns, type ArchiveKind, type Datatype, datatypes, form, traitsOf } from '@telltale/schema';
import fc from 'fast-check';

/** Of one name and datatype, in time order. */
export interface Run {
  readonly name: string;
  readonly datatype: Datatype;
  readonly times: readonly number[];
  readonly values: readonly (number | bigint | string)[];
  readonly qualities: readonly number[];
  readonly flags: readonly number[];
}

const mostUs = Number.MAX_SAFE_INTEGER;

const doubles = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MIN_VALUE),
  fc.integer({ min: -200, max: 200 }).map((number) => number / 100),
);
const longs = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 52n, -(2n ** 52n), 2n ** 53n, -(2n ** 53n) - 1n),
  fc.integer().map(BigInt),
);
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\0', 'ACT_ACK 0 ', '😀', "'; drop table x", 'PAR1', '{"records":1}', 'a'.repeat(70_000)),
);

function valuesOf(datatype: Datatype) {
  const { form: valueForm, isBoolean, precision, lowest, highest } = traitsOf(datatype);
  if (valueForm === form.text) return texts;
  if (valueForm === form.long) return longs;
  if (isBoolean) return fc.integer({ min: 0, max: 1 });
  if (precision !== 'whole') return precision === 'single' ? doubles.map(Math.fround) : doubles;
  return fc.integer({ min: Number(lowest), max: Number(highest) });
}

const steps = fc.oneof(
  fc.constant(1_000_000),
  fc.integer({ min: 0, max: 2_000_000 }),
  fc.integer({ min: 0, max: 2 ** 40 }),
);
const names = fc.oneof(
  fc.stringMatching(/^[_a-zA-Z0-9]{1,64}$/),
  fc.constantFrom('__proto__', 'constructor', 'level', 'Level', 'level_1', 'a'.repeat(64)),
);

const someRuns = (datatype: Datatype) =>
  fc
    .record({
      name: names,
      start: fc.oneof(fc.constantFrom(0, 1_760_000_000_000_000, mostUs), fc.nat({ max: mostUs })),
      records: fc.array(
        fc.record({ step: steps, value: valuesOf(datatype), quality: fc.nat({ max: 255 }), flag: fc.nat({ max: 1 }) }),
        { minLength: 1, maxLength: 40 },
      ),
      /** The same again and again, so that there are more than fit into a page. */
      times: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 900 })),
    })
    .map(({ name, start, records, times }): Run => {
      const all = Array.from({ length: datatype === 's' ? 1 : times }, () => records).flat();
      let now = start;
      const next = (step: number) => {
        now = Math.min(mostUs, now + step);
        return now;
      };
      return {
        name,
        datatype,
        times: all.map(({ step }) => next(step)),
        values: all.map(({ value }) => value),
        qualities: all.map(({ quality }) => quality),
        flags: all.map(({ flag }) => flag),
      };
    });

/** In the order of their names. */
export const anyRuns = fc
  .array(fc.constantFrom(...datatypes).chain(someRuns), { maxLength: 8 })
  .map((runs) => runs.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)));

/** As the archive sends them, at most so many records together. */
export async function* framesOf(kind: ArchiveKind, runs: readonly Run[], most: number): AsyncGenerator<ArchiveColumns> {
  for (const { name, datatype, times, values, qualities, flags } of runs) {
    for (let from = 0; from < times.length; from += most) {
      const part = <T>(list: readonly T[]) => list.slice(from, from + most);
      yield {
        kind,
        name,
        datatype,
        times: Float64Array.from(part(times)),
        values: inForm(datatype, part(values)),
        qualities: Uint8Array.from(part(qualities)),
        flags: Uint8Array.from(part(flags)),
      };
    }
  }
}

function inForm(datatype: Datatype, values: readonly (number | bigint | string)[]): ArchiveColumns['values'] {
  const { form: valueForm } = traitsOf(datatype);
  if (valueForm === form.text) return values as readonly string[];
  if (valueForm === form.long) return BigInt64Array.from(values as bigint[]);
  return Float64Array.from(values as number[]);
}

export const measurementColumns =
  'name, epoch_us(time), number, long, boolean, text, quality, simulated, datatype' as const;

/** As DuckDB gives `measurementColumns`. */
export function rowsOf(runs: readonly Run[]): unknown[][] {
  return runs.flatMap(({ name, datatype, times, values, qualities, flags }) => {
    const { form: valueForm, isBoolean } = traitsOf(datatype);
    const isNumber = valueForm === form.number && !isBoolean;
    return times.map((time, at) => [
      name,
      BigInt(time),
      isNumber ? values[at] : null,
      valueForm === form.long ? values[at] : null,
      isBoolean ? values[at] === 1 : null,
      valueForm === form.text ? values[at] : null,
      qualities[at],
      flags[at] === 1,
      datatype,
    ]);
  });
}
