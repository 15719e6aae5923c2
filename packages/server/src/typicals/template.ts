// A text with placeholders: `{pump}` is the value of a parameter, `{base+3}` is computed from whole numbers with + - * and
// brackets, `{{` and `}}` are braces. It is parsed once, and expanded for each instance; nothing in it is ever run.

/** The message says what is wrong and what to write; a value is to blame where there is a parameter. */
export class TemplateFault extends Error {
  readonly parameter: string | undefined;

  constructor(message: string, parameter?: string) {
    super(message);
    this.parameter = parameter;
  }
}

export type Values = ReadonlyMap<string, string>;
type Compute = (values: Values) => number;
type Part = string | ((values: Values) => string);

const longestExpression = 200;
const deepestExpression = 16;
/** Of a text, and of all texts of an expanded object, which is at most 1 MiB. */
export const longestText = 1 << 20;

export class Template {
  readonly #parts: readonly Part[];
  /** Those that it has placeholders of. */
  readonly parameters: ReadonlySet<string>;

  /** Throws `TemplateFault`. */
  constructor(text: string) {
    if (text.length > longestText) throw new TemplateFault(`is longer than ${longestText} characters`);
    const parameters = new Set<string>();
    this.#parts = [...partsOf(text, parameters)];
    this.parameters = parameters;
  }

  /** How much there is to do, and to remember. */
  get size(): number {
    return this.#parts.length;
  }

  /** The values have all parameters. Throws `TemplateFault`. */
  expand(values: Values): string {
    let text = '';
    for (const part of this.#parts) {
      text += typeof part === 'string' ? part : part(values);
      if (text.length > longestText) throw new TemplateFault(`becomes longer than ${longestText} characters`);
    }
    return text;
  }
}

function* partsOf(text: string, parameters: Set<string>): Generator<Part> {
  let from = 0;
  for (;;) {
    const found = text.slice(from).search(/[{}]/);
    const at = from + found;
    if (found < 0) {
      yield text.slice(from);
      return;
    }
    yield text.slice(from, at);
    const brace = text[at];
    if (text[at + 1] === brace) {
      yield brace as string;
      from = at + 2;
      continue;
    }
    const end = brace === '{' ? text.indexOf('}', at) : -1;
    if (end < 0) {
      const hint =
        brace === '{' ? 'is not closed: write {name}, or {{ for a brace' : 'closes nothing: write }} for a brace';
      throw new TemplateFault(`${shown(text.slice(at, at + 40))} ${hint}`);
    }
    yield placeholder(text.slice(at + 1, end), parameters);
    from = end + 1;
  }
}

function placeholder(source: string, parameters: Set<string>): Part {
  const name = source.trim();
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)) {
    parameters.add(name);
    return (values) => values.get(name) as string;
  }
  if (source.length > longestExpression) {
    throw new TemplateFault(`${shown(`{${source.slice(0, 40)}`)} is longer than ${longestExpression} characters`);
  }
  const compute = new Expression(source, parameters).read();
  return (values) => String(compute(values));
}

/** Recursive descent: sums of products of numbers, parameters and brackets. */
class Expression {
  readonly #source: string;
  readonly #parameters: Set<string>;
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(source: string, parameters: Set<string>) {
    this.#source = source;
    this.#parameters = parameters;
    this.#tokens = source.match(/[A-Za-z_][A-Za-z0-9_]*|\d+|\S/g) ?? [];
  }

  read(): Compute {
    const sum = this.#sum();
    if (this.#at < this.#tokens.length) throw this.#wrong();
    return sum;
  }

  #sum(): Compute {
    let left = this.#product();
    for (;;) {
      const sign = this.#tokens[this.#at];
      if (sign !== '+' && sign !== '-') return left;
      this.#at++;
      const [first, second] = [left, this.#product()];
      left = sign === '+' ? this.#exact((v) => first(v) + second(v)) : this.#exact((v) => first(v) - second(v));
    }
  }

  #product(): Compute {
    let left = this.#factor();
    while (this.#tokens[this.#at] === '*') {
      this.#at++;
      const [first, second] = [left, this.#factor()];
      left = this.#exact((values) => first(values) * second(values));
    }
    return left;
  }

  #factor(): Compute {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw this.#wrong();
    if (token === '(' || token === '-') {
      if (++this.#depth > deepestExpression) throw this.#wrong(`is nested deeper than ${deepestExpression} levels`);
      const inner = token === '(' ? this.#sum() : this.#factor();
      if (token === '(' && this.#tokens[this.#at++] !== ')') throw this.#wrong('has a bracket that is not closed');
      this.#depth--;
      return token === '(' ? inner : (values) => 0 - inner(values);
    }
    if (/^\d/.test(token)) {
      const number = Number(token);
      if (!Number.isSafeInteger(number)) throw this.#wrong('has a number that is too large');
      return () => number;
    }
    if (!/^[A-Za-z_]/.test(token)) throw this.#wrong();
    this.#parameters.add(token);
    return (values) => this.#wholeNumber(token, values.get(token) as string);
  }

  #wholeNumber(parameter: string, text: string): number {
    const number = /^\s*[+-]?\d{1,16}\s*$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(number)) return number;
    throw new TemplateFault(`${shown(text)} is no whole number, and {${this.#source}} computes with it`, parameter);
  }

  #exact(compute: Compute): Compute {
    return (values) => {
      const number = compute(values);
      if (Number.isSafeInteger(number)) return number;
      throw new TemplateFault(`{${this.#source}} becomes too large`);
    };
  }

  #wrong(what = 'is no placeholder'): TemplateFault {
    return new TemplateFault(
      `${shown(`{${this.#source}}`)} ${what}: write {name}, or whole numbers and parameters with + - * and brackets, ` +
        'such as {base+2*i}; {{ is a brace',
    );
  }
}

export function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
