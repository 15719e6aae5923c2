// The form that an answer shall have: the Accept header against what there is (RFC 9110, 12.5.1).

/** The offered type that the client prefers, the first of several; undefined where it accepts none of them. */
export function chooseType(accept: string, offered: readonly string[]): string | undefined {
  const ranges = accept.split(',').map(readRange);
  let best: string | undefined;
  let bestWeight = 0;
  for (const type of offered) {
    const weight = weightOf(type, ranges);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best;
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}

/** Of the range that names the type most exactly. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const ofAll = `${type.split('/', 1)[0]}/*`;
  for (const wanted of [type, ofAll, '*/*']) {
    const range = ranges.find((each) => each.type === wanted);
    if (range !== undefined) return range.weight;
  }
  return 0;
}
