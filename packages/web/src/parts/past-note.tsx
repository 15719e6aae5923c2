// Said in views that know no past, while a moment of it is shown.
import { moment } from '../data/moment.ts';
import { words } from '../words/words.ts';

export function PastNote() {
  return moment.value === undefined ? null : <p class="quiet">{words.value.common.ofNow}</p>;
}
