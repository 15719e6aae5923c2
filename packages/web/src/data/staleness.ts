// Whether what is shown may be out of date: there is no link to the service, and what is shown is meant to be live.
import { computed, type ReadonlySignal } from '@preact/signals';
import { moment } from './moment.ts';
import { link } from './service.ts';

export const isStale: ReadonlySignal<boolean> = computed(
  () => moment.value === undefined && link.value.state !== 'connected' && link.value.state !== 'connecting',
);
