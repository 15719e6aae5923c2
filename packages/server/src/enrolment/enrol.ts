// Brings a server to the bus with a code: makes a key, has it signed by the centre, and stores what the bus wants to see, with the
// settings that go with it. The key stays here, and the secret goes to nobody but the centre of the code.
import { sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { BusEnrolled, type BusEnrolmentRequest, checker, parseJson } from '@telltale/schema';
import { replaceFile } from '@telltale/stack-kit';
import { authorityKeyIn, newKeys, pemOf } from './authority.ts';
import { readCode } from './code.ts';
import { signedText } from './enrolment.ts';
import { type BusFilePaths, busFilesIn, busSettingsName } from './files/index.ts';

const memberFolder = join('bus', 'member');

export interface EnrolledHere extends Pick<BusEnrolled, 'name' | 'role' | 'bus'> {
  readonly files: BusFilePaths;
  /** The file with the settings; undefined: no server of ours has this role. */
  readonly settings: string | undefined;
}

/** The message is for the person who has given the code. */
export class NotEnrolled extends Error {
  override readonly name = 'NotEnrolled';
}

const answers = checker(BusEnrolled);
const mostAnswerBytes = 100_000;
const answerMs = 30_000;

/** `id`: of this server. Rejects with `BadCode`, `NotEnrolled`, and the system's errors. */
export async function enrol(code: string, { id, data }: { id: string; data: string }): Promise<EnrolledHere> {
  const { url, fingerprint, invitation, secret } = readCode(code);
  if (existsSync(authorityKeyIn(join(data, 'bus')))) {
    throw new NotEnrolled(`${data} is that of a centre with a bus of its own: name another data folder with --data`);
  }
  const { publicKey, privateKey } = newKeys();
  const proof = sign('sha256', Buffer.from(signedText(invitation, id)), { key: privateKey, dsaEncoding: 'der' });
  const request: BusEnrolmentRequest = {
    invitation,
    secret,
    id,
    'public-key': publicKey.export({ type: 'spki', format: 'pem' }) as string,
    proof: proof.toString('base64'),
  };
  const { certificate, authority, bus, name, role } = await ask(url, fingerprint, JSON.stringify(request));
  const files = busFilesIn(join(data, memberFolder));
  await replaceFile(files.key, pemOf(privateKey));
  await replaceFile(files.certificate, certificate);
  await replaceFile(files.authority, authority);
  if (role !== 'site' && role !== 'centre') return { name, role, bus, files, settings: undefined };
  const settings = join(data, busSettingsName);
  // Where the folder is moved, they are still right.
  const inFolder = busFilesIn(memberFolder);
  const given = {
    bus,
    'bus-role': role,
    'bus-ca': inFolder.authority,
    'bus-cert': inFolder.certificate,
    'bus-key': inFolder.key,
    ...(role === 'site' && { site: name }),
  };
  await replaceFile(settings, `${JSON.stringify(given, undefined, 2)}\n`);
  return { name, role, bus, files, settings };
}

async function ask(url: string, fingerprint: string, body: string): Promise<BusEnrolled> {
  const { status, text } = await post(url, fingerprint, body);
  if (status !== 200) throw new NotEnrolled(`the centre refuses: ${reasonIn(text) ?? `it answers ${status}`}`);
  const answer = parsed(text);
  if (!answers.fits(answer))
    throw new NotEnrolled('what the centre answers is not understood: it is of another version');
  return answer as BusEnrolled;
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
