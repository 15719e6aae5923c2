// The request that a command becomes, and what the answer to it means. Pure.
import { formatText, type Value } from '@telltale/schema';
import { documentWith, propertyOf, type StackCommand, type WriteResult, written } from '@telltale/stack-kit';
import { type Method, parseCommand, placeholder } from './address.ts';
import type { HttpAnswer } from './http-client.ts';

export interface CommandRequest {
  readonly method: Method;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A text says why the command can never be sent. */
export function requestOf(command: StackCommand, value: Value): CommandRequest | string {
  const address = parseCommand(command.address);
  if (typeof address === 'string') return address;
  const { method, pointer } = address;
  const json = jsonOf(command, value);
  const path = address.path.replaceAll(placeholder, () => encodeURIComponent(plainOf(command, value)));
  const template = propertyOf(command, 'body');
  const contentType = propertyOf(command, 'contentType') ?? 'application/json';
  if (/[^\x20-\x7e]/.test(contentType)) return 'the property contentType is not a content type';
  const body = () => {
    if (template !== undefined) return template.replaceAll(placeholder, () => json);
    if (pointer !== undefined) return documentWith(pointer, json);
    return address.path.includes(placeholder) ? '' : json;
  };
  const text = body();
  return { method, path, body: text, headers: text === '' ? {} : { 'content-type': contentType } };
}

export function judgeAnswer({ status, statusText, body }: HttpAnswer): WriteResult {
  if (status >= 200 && status < 300) return written.accepted;
  const said = (body ?? Buffer.of())
    .subarray(0, 200)
    .toString()
    .replace(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ')
    .trim();
  const reason = `the server answers ${statusText}${said === '' ? '' : `: ${said}`}`;
  return isRefusal(status) ? written.refused(reason) : written.unknown(reason);
}

/**
 * That the request itself will not do, or leads elsewhere. A server that leads on to a page has often carried it out, one
 * that failed may have, and a proxy also answers 503 or 408 where the server behind it broke off.
 */
function isRefusal(status: number): boolean {
  if (status === 501) return true;
  return status >= 300 && status < 500 && status !== 302 && status !== 303 && status !== 408;
}

function jsonOf({ datatype }: StackCommand, value: Value): string {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? JSON.stringify(value) : formatText(datatype, value);
}

function plainOf({ datatype }: StackCommand, value: Value): string {
  return typeof value === 'boolean' ? String(value) : formatText(datatype, value);
}
