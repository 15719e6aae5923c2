// How long ago something was, followed as time goes on; when, where the pointer rests.
import { now } from './now.ts';
import { ageText, momentText } from './times.ts';

export function Since({ us }: { readonly us: number }) {
  return (
    <time class="quiet" title={momentText(us)}>
      {ageText((now.value - us) / 1e6)}
    </time>
  );
}
