// Puts a text on the clipboard, and says that it is there.
import { words } from '../words/words.ts';
import { notify, notifyFailure } from './notices.tsx';
import { copyText } from './save-file.ts';

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { common } = words.value;
  return (
    <button type="button" onClick={() => void copyText(text).then(() => notify(common.copied), notifyFailure)}>
      {label ?? common.copy}
    </button>
  );
}
