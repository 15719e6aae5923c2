// Texts with placeholders, such as `{"value": {value}}`: for topics and payloads. Pure.

export interface Template<Name extends string> {
  /** Those that it has, each once. */
  readonly names: ReadonlySet<Name>;
  render(values: (name: Name) => string): string;
}

export type CompiledTemplate<Name extends string> =
  | { template: Template<Name>; fault?: never }
  | { template?: never; fault: string };

/** Letters in braces are a placeholder, which no JSON has by itself; anything else stands for itself. */
export function compileTemplate<const Name extends string>(
  text: string,
  known: readonly Name[],
): CompiledTemplate<Name> {
  const parts = text.split(/\{([a-zA-Z]+)\}/u);
  const names = new Set<Name>();
  for (let at = 1; at < parts.length; at += 2) {
    const name = known.find((each) => each === parts[at]);
    if (name === undefined) {
      return {
        fault: `the placeholder {${parts[at]}} is unknown; use one of ${known.map((each) => `{${each}}`).join(', ')}`,
      };
    }
    names.add(name);
  }
  const render = (values: (name: Name) => string) =>
    parts.map((part, at) => (at % 2 === 0 ? part : values(part as Name))).join('');
  return { template: { names, render } };
}
