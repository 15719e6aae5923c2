// Bodies as they arrive: their type, their length, that they go on arriving, and the bytes of those that are held whole.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { bytesType, type Clock, jsonType, ProblemError } from '@telltale/schema';
import { type HeldBody, smallBytes } from './body-budget.ts';
import type { RouteBody } from './route.ts';

/**
 * A body has no deadline, but it must make progress: 8 KiB each 10 s are less than the slowest line that carries
 * bodies, and a small body is complete by then. A body that is held in memory keeps others out: its pace must complete
 * it within 15 minutes.
 */
export const progressMs = 10_000;
export const leastProgressBytes = 8 << 10;
const heldMs = 15 * 60_000;

/** The type of the body; throws `ProblemError` where the route does not accept it, or where the body is too long. */
export function checkBody(headers: IncomingHttpHeaders, body: RouteBody): string {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    const got = JSON.stringify(coding.slice(0, 80));
    throw new ProblemError('unsupported-media-type', `The Content-Encoding is ${got}; send the body as it is.`);
  }
  const type = readType(headers['content-type'], body);
  if ((lengthOf(headers) ?? 0) > body.maxBytes) throw tooLarge(body);
  return type;
}

export function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const header = headers['content-length'];
  return header === undefined ? undefined : Number(header);
}

/** Without one it is JSON, where that is taken, or else bytes. */
function readType(header: string | undefined, { types }: RouteBody): string {
  const unnamed = types.includes(jsonType) ? jsonType : bytesType;
  const type = header === undefined ? unnamed : header.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && types.includes(type)) return type;
  const got = header === undefined ? 'There is none' : `It is ${JSON.stringify(header.slice(0, 80))}`;
  throw new ProblemError('unsupported-media-type', `${got}; the Content-Type here is ${types.join(' or ')}.`);
}

function tooLarge({ maxBytes, setting }: RouteBody): ProblemError {
  return new ProblemError('body-too-large', `At most ${maxBytes} bytes are taken here; ${setting} sets the limit.`);
}

/** The same bytes, until there are too many, or too few for too long. `begin` is called at the first read. */
export function limited(source: IncomingMessage, body: RouteBody, clock: Clock, begin?: () => void): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      if (bytes > body.maxBytes) done(tooLarge(body));
      else done(null, chunk);
    },
  });
  const length = isHeld(body) ? (lengthOf(source.headers) ?? 0) : 0;
  const leastBytes = Math.max(leastProgressBytes, Math.floor((length * progressMs) / heldMs));
  let cancel: () => void = () => undefined;
  const watch = (before: number) => {
    cancel = clock.after(progressMs, () => {
      const isOurs = counter.readableLength > 0; // the consumer is late, not the client
      if (source.complete) return;
      if (isOurs || bytes - before >= leastBytes) watch(bytes);
      else counter.destroy(new ProblemError('request-timeout', stalled(leastBytes)));
    });
  };
  counter.once('close', () => cancel());
  counter.on('error', () => undefined); // for the consumer; without one, it must not end the process
  source.once('error', (error) => counter.destroy(error));
  source.once('aborted', () => counter.destroy(new ProblemError('malformed-request', 'The body ended too early.')));
  const pipe = () => {
    watch(0);
    source.pipe(counter);
  };
  if (begin === undefined) pipe();
  else whenRead(counter, () => [begin(), pipe()]);
  return counter;
}

function whenRead(stream: Readable, then: () => void): void {
  const read = stream._read;
  stream._read = (size) => {
    stream._read = read;
    then();
    stream._read(size);
  };
}

const stalled = (leastBytes: number) =>
  `Less than ${leastBytes} bytes of the body came in ${progressMs / 1000} s, and some are missing.`;

/** Whether all of the body is in memory before its handler is called. */
export const isHeld = ({ schema, isStreamed, isWhole }: RouteBody) =>
  isWhole === true || (schema !== undefined && isStreamed !== true);

export interface WholeBody {
  readonly stream: Readable;
  /** As announced; undefined where no length is announced. */
  readonly length: number | undefined;
  readonly maxBytes: number;
  readonly held: HeldBody;
}

/** All of it, in memory of its own. Throws where `held` has no room for it. */
export async function readWhole({ stream, length, maxBytes, held }: WholeBody): Promise<Uint8Array> {
  held.expect(length ?? 0);
  let bytes = Buffer.allocUnsafeSlow(0);
  let used = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    const least = used + chunk.length;
    if (least > bytes.length) {
      const size = roomFor(least, length, maxBytes);
      held.hold(size);
      const larger = Buffer.allocUnsafeSlow(size);
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(chunk, used);
    used = least;
  }
  return bytes.subarray(0, used);
}

/** A length is quickly said: there is room for all of it once the first MiB is there, and before for twice what came. */
function roomFor(least: number, length: number | undefined, maxBytes: number): number {
  return length !== undefined && least > smallBytes ? length : Math.min(2 * least, length ?? maxBytes);
}
