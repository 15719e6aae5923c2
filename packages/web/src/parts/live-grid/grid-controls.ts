// Links and buttons in a row by keys: the right arrow leads to them, the left one and Escape back to the rows.
import type { GridState } from './grid-state.ts';

/** Whether the key was one of these. A control whose row has gone elsewhere does nothing any more. */
export function pressedAmongControls<Row>(event: KeyboardEvent, grid: HTMLElement, state: GridState<Row>): boolean {
  const focused = event.target as HTMLElement;
  const isInside = focused !== grid;
  const row = isInside ? focused.closest('.grid-body > [role=row]') : grid.querySelector('.grid-body > .active');
  if (row === null) return false;
  const index = Number(row.getAttribute('aria-rowindex')) - 2;
  const isUse = event.key === 'Enter' || event.key === ' ';
  if (isInside && isUse && !state.isOn(index)) {
    grid.focus();
    return true;
  }
  const controls = [...row.querySelectorAll<HTMLElement>('a[href], button:not(:disabled)')];
  const step = { ArrowRight: 1, ArrowLeft: -1, Escape: -controls.length }[event.key];
  if (step === undefined || (!isInside && step < 0)) return false;
  const to = controls.indexOf(focused) + step;
  if (to < 0) grid.focus();
  else if (to < controls.length) {
    state.moveTo(index);
    controls[to]?.focus();
  }
  return true;
}
