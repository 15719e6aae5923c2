// `?` shows the keys that work now.
import { useSignal } from '@preact/signals';
import { words } from '../../words/words.ts';
import { Dialog } from '../dialog.tsx';
import { keys, useKeys } from '../keys.ts';

export function KeysHelp() {
  const { shell } = words.value;
  const isOpen = useSignal(false);
  const open = () => {
    isOpen.value = true;
  };
  useKeys(() => [{ key: '?', text: shell.keys.help, run: open }], [shell]);
  if (!isOpen.value) return null;
  const close = () => {
    isOpen.value = false;
  };
  return (
    <Dialog title={shell.keys.title} onClose={close}>
      <table>
        <tbody>
          {keys.value.map(({ key, text }) => (
            <tr key={key}>
              <td>
                {key.split('+').map((part) => (
                  <kbd key={part}>{part === ' ' ? '␣' : part}</kbd>
                ))}
              </td>
              <td>{text}</td>
            </tr>
          ))}
          <tr>
            <td>
              <kbd>Esc</kbd>
            </td>
            <td>{shell.keys.close}</td>
          </tr>
        </tbody>
      </table>
    </Dialog>
  );
}
