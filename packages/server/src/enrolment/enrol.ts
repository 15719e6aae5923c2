// Brings a server to the bus with a code: makes a key, has it signed by the centre, and stores what the bus wants to see. The key
// stays here, and the secret goes to nobody but the centre of the code.
import { sign } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { checker, parseJson } from '@telltale/schema';
import { replaceFile } from '@telltale/stack-kit';
import Type from 'typebox';
import { newKeys, pemOf } from './authority.ts';
import { readCode } from './code.ts';
import { type Enrolled, type EnrolmentRequest, signedText } from './enrolment.ts';

/** Paths, as the settings want them. */
export interface BusFilePaths {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** The message is for the person who has given the code. */
export class NotEnrolled extends Error {
  override readonly name = 'NotEnrolled';
}

const answers = checker(Type.Object({ certificate: Type.String(), authority: Type.String() }));
const mostAnswerBytes = 100_000;
const answerMs = 30_000;

/** Rejects with `BadCode`, `NotEnrolled`, and the system's errors; then nothing that was in the folder has changed. */
export async function enrol(
  code: string,
  { name, title, folder }: { name: string; title: string; folder: string },
): Promise<BusFilePaths> {
  const { url, fingerprint, invitation, secret } = readCode(code);
  const { publicKey, privateKey } = newKeys();
  const proof = sign('sha256', Buffer.from(signedText(invitation, name)), { key: privateKey, dsaEncoding: 'der' });
  const request: EnrolmentRequest = {
    invitation,
    secret,
    name,
    title,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    proof: proof.toString('base64'),
  };
  const { certificate, authority } = await ask(url, fingerprint, JSON.stringify(request));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const paths = {
    authority: join(folder, 'authority.pem'),
    certificate: join(folder, 'certificate.pem'),
    key: join(folder, 'key.pem'),
  };
  await replaceFile(paths.key, pemOf(privateKey));
  await replaceFile(paths.certificate, certificate);
  await replaceFile(paths.authority, authority);
  return paths;
}

async function ask(url: string, fingerprint: string, body: string): Promise<Enrolled> {
  const { status, text } = await post(url, fingerprint, body);
  if (status !== 200) throw new NotEnrolled(`the centre refuses: ${reasonIn(text) ?? `it answers ${status}`}`);
  const answer = parsed(text);
  if (!answers.fits(answer))
    throw new NotEnrolled('what the centre answers is not understood: it is of another version');
  return answer as Enrolled;
}

/** Sends nothing before it is sure with whom it speaks. */
function post(url: string, fingerprint: string, body: string): Promise<{ status: number; text: string }> {
  const { protocol, host } = new URL(url);
  if (protocol !== 'https:')
    throw new NotEnrolled(`the centre at ${host} does not speak TLS: the secret is not sent there`);
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options: RequestOptions = {
      method: 'POST',
      headers,
      agent: false,
      rejectUnauthorized: fingerprint === '',
      timeout: answerMs,
    };
    const asked = httpsRequest(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.length > mostAnswerBytes) answer.destroy(new NotEnrolled('the centre answers too much'));
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new NotEnrolled(`the centre at ${host} does not answer`)));
    asked.on('error', (error) =>
      reject(
        error instanceof NotEnrolled ? error : new NotEnrolled(`cannot reach the centre at ${host}: ${error.message}`),
      ),
    );
    asked.on('socket', (socket) =>
      socket.once('secureConnect', () => {
        if (fingerprint === '' || shownBy(socket as TLSSocket) === fingerprint) asked.end(body);
        else asked.destroy(new NotEnrolled(`${host} is not the centre of the code: it shows another certificate`));
      }),
    );
    asked.flushHeaders();
  });
}

/** SHA-256 of the certificate, in base64url. */
function shownBy(socket: TLSSocket): string {
  const { fingerprint256 = '' } = socket.getPeerCertificate();
  return Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url');
}

function reasonIn(text: string): string | undefined {
  const { detail } = (parsed(text) ?? {}) as { detail?: unknown };
  return typeof detail === 'string' ? detail : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
