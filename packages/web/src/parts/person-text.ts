// Who did something, as people say it: whoever uses a service without users is named `local` by it.
import { words } from '../words/words.ts';

export function personText(who: string): string {
  return who === 'local' ? words.value.common.anybodyHere : who;
}
