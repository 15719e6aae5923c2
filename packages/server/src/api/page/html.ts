// HTML from data: every value in a template is escaped, unless it is HTML already. Nothing else escapes.

/** Made by `html` alone, and by `trusted` from texts of the source. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | undefined | false | readonly Content[];

/** The template with everything in it escaped; `undefined` and `false` leave nothing, lists are strung together. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = parts[0] ?? '';
  for (const [index, content] of contents.entries()) text += render(content) + (parts[index + 1] ?? '');
  return new Html(text);
}

/** For styles and scripts that are written in this folder; never for data. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** Several contents with a separator between each two. */
export function join(contents: readonly Content[], separator: Content): Content[] {
  return contents.flatMap((content, index) => (index === 0 ? [content] : [separator, content]));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function render(content: Content): string {
  if (content instanceof Html) return content.text;
  if (content === undefined || content === false) return '';
  if (typeof content === 'string' || typeof content === 'number') return escapeHtml(String(content));
  return content.map(render).join('');
}
