// The title, area and parameters of a picture.
import { useId } from 'preact/hooks';
import { words } from '../../../words/words.ts';
import type { EditorModel } from './editor-model.ts';

export function PictureFields({ model }: { readonly model: EditorModel }) {
  const { common, pictures } = words.value;
  const { editor } = pictures;
  const id = useId();
  const { description = '', area = '', parameters = {} } = model.draft.value;
  const lines = Object.entries(parameters).map(([name, text]) => `${name}=${text}`);
  return (
    <details class="pictures-fields" open>
      <summary>{editor.fields}</summary>
      <label for={`${id}-description`}>{common.description}</label>
      <input
        id={`${id}-description`}
        value={description}
        onChange={(event) => model.change({ description: event.currentTarget.value })}
      />
      <label for={`${id}-area`}>{common.area}</label>
      <input id={`${id}-area`} value={area} onChange={(event) => model.change({ area: event.currentTarget.value })} />
      <label for={`${id}-parameters`}>{pictures.parameters}</label>
      <textarea
        id={`${id}-parameters`}
        rows={2}
        class="mono"
        spellcheck={false}
        aria-describedby={`${id}-help`}
        value={lines.join('\n')}
        onChange={(event) => model.change({ parameters: parametersOf(event.currentTarget.value) })}
      />
      <p id={`${id}-help`} class="quiet">
        {editor.parametersHelp}
      </p>
    </details>
  );
}

function parametersOf(text: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line): [string, string][] => {
    const [name = '', ...rest] = line.split('=');
    return name.trim() === '' ? [] : [[name.trim(), rest.join('=').trim()]];
  });
  return Object.fromEntries(pairs);
}
