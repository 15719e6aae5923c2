// Gives people a file that the page has made, and puts text on their clipboard.
import { csvRow } from '@telltale/schema/values';

/** A row for spreadsheets: what they would run as a formula begins with an apostrophe. */
export function spreadsheetRow(fields: readonly string[]): string {
  return csvRow(fields.map((text) => (isFormula(text) ? `'${text}` : text)));
}

function isFormula(text: string): boolean {
  return /^[=+@\t\r＝＋－＠]/.test(text) || (text.startsWith('-') && Number.isNaN(Number(text)));
}

export function saveFile(name: string, parts: readonly string[], type: string): void {
  saveBlob(name, new Blob([...parts], { type }));
}

export function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.dataset.outside = '';
  link.click();
  // The browser has opened it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Browsers keep the clipboard from pages that came without TLS: those have the older way. */
export async function copyText(text: string): Promise<void> {
  if (globalThis.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  const before = document.activeElement;
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isDone) throw new Error('The browser keeps the clipboard from this page.');
}
