// The catalogue of everything that can go wrong, as application/problem+json (RFC 9457). No other file defines an
// error: the generated page and the API reference are made from this table.
import type { Fault, Problem } from './wire-schemas.ts';

const problem = (status: number, title: string, remedy: string) => ({ status, title, remedy });

export const problems = {
  'malformed-request': problem(400, 'The request cannot be read', 'Send a well-formed HTTP request and URL.'),
  'malformed-json': problem(
    400,
    'The body is not JSON',
    'Send one JSON text in UTF-8; the detail says where it breaks.',
  ),
  'malformed-csv': problem(
    400,
    'The body is not CSV',
    'Send CSV by RFC 4180 in UTF-8; the detail says where it breaks.',
  ),
  'malformed-xlsx': problem(
    400,
    'The body is not a workbook',
    'Send a workbook (.xlsx) as a spreadsheet program saves it; the detail says what is wrong.',
  ),
  'json-too-deep': problem(400, 'The JSON is nested too deeply', 'No resource is nested deeper than 8 levels.'),
  'json-too-large': problem(
    400,
    'The JSON has too many parts',
    'An object has at most 10,000 keys, a list 200,000 items, a body 500,000 values, a text 2 MiB; the operations of a transaction count one by one.',
  ),
  'duplicate-key': problem(
    400,
    'A key is there twice',
    'Name each key of an object once; the detail says where it is repeated.',
  ),
  'invalid-body': problem(400, 'The body does not fit its schema', 'Each entry of errors names a field.'),
  'invalid-table': problem(
    400,
    'The table cannot be taken',
    'Each entry of errors names a row and a column. Nothing was changed: correct them and send the table again.',
  ),
  'invalid-typical': problem(
    400,
    'The type or its instances cannot be taken',
    'Each entry of errors names a place in the type, or a row and column. Nothing was changed: correct them and send it again.',
  ),
  'table-too-large': problem(
    400,
    'The table is too large',
    'Split it; or name the columns, or the objects, that are needed.',
  ),
  'invalid-query': problem(400, 'A query parameter is wrong', 'Each entry of errors names a parameter.'),
  'invalid-name': problem(400, 'The name is impossible', 'The detail says what a name is made of.'),
  'weak-password': problem(400, 'The password is too easy to guess', 'Choose a longer one that nobody else uses.'),
  'wrong-code': problem(
    400,
    'The code is wrong',
    'Send the one that the authenticator app shows now; the clock of its device must be right.',
  ),
  'invalid-passkey': problem(
    400,
    'The passkey cannot be taken',
    'Ask for new options and let the browser make it again; the detail says what is wrong.',
  ),
  'reserved-name': problem(400, 'The name is reserved', 'The word names lists a family; take another name.'),
  'invalid-value': problem(
    400,
    'The value does not fit',
    'A value is the letter of the datatype of the object, then the value; the detail says what is expected.',
  ),
  'out-of-range': problem(400, 'The value is out of range', 'Stay within the range that the detail names.'),
  'invalid-interval': problem(
    400,
    'The interval is impossible',
    'A time is in seconds since 1970, or less than zero: seconds back from now. The first is not after the second.',
  ),
  'invalid-record': problem(
    400,
    'A record cannot be taken',
    'The detail says which and why; those before it were taken, and taking them again changes nothing.',
  ),
  'answer-too-long': problem(
    400,
    'The answer is too long for the channel',
    'Ask for a shorter interval, limit, max-points or resample, or read over HTTP, which has no limit.',
  ),
  'too-many-operations': problem(400, 'The transaction is too long', 'Split it.'),
  'unknown-request': problem(400, 'There is no such request', 'The channel reference lists every request.'),
  'invalid-token': problem(
    401,
    'The token is not valid',
    "A token that people make holds until it expires or is deleted; a function module's, which stands in TELLTALE_TOKEN, " +
      'from the start of a run to its end.',
  ),
  'invalid-certificate': problem(
    401,
    'The client certificate does not count',
    'The detail says why; get another one from its authority, or ask without one.',
  ),
  'not-signed-in': problem(
    401,
    'Nobody is signed in',
    'Sign in (telltale login), or send a token: Authorization: Bearer and the token.',
  ),
  'wrong-credentials': problem(
    401,
    'The user or the password is wrong',
    'Try again; each try takes longer than the last.',
  ),
  'second-factor-needed': problem(
    401,
    'The password alone does not do',
    'Send the code of the authenticator app, or one for recovery, too; or sign in with a passkey.',
  ),
  'sign-in-again': problem(
    403,
    'Sign in again first',
    'This changes how you sign in: enter your credentials again, and repeat it.',
  ),
  'sign-in-refused': problem(
    403,
    'The directory knows you, and the service does not let you in',
    'The detail says why; an administrator of the service can change it.',
  ),
  'foreign-host': problem(
    403,
    'The Host of the request is no name of this service',
    'Ask by localhost, by the address that the service listens on, or by its --public-url.',
  ),
  'foreign-origin': problem(
    403,
    'A page from elsewhere may not ask here',
    'Ask from the service’s own pages or from a program that is not a browser; a link may lead to / and /docs/.',
  ),
  'not-a-module': problem(403, 'Only a function module may do this', 'Connect with the token of the module.'),
  'not-allowed': problem(
    403,
    'This is not permitted',
    'The detail says which permission is missing; an administrator grants it. A function module writes to the names that ' +
      'its properties.writes lists.',
  ),
  'reason-needed': problem(
    403,
    'A reason must be given',
    'Repeat it with a reason: the parameter reason, or comment where it renders; telltale write --reason.',
  ),
  'signature-needed': problem(
    403,
    'It must be signed',
    'Sign it with your password: POST /data/approvals, or telltale write --sign. The detail says who else must agree.',
  ),
  'not-invited': problem(
    403,
    'The code does not count',
    'A code works once and within its time. Ask at the centre for another one: telltale site invite NAME.',
  ),
  'uploads-disabled': problem(
    403,
    'Executables cannot be uploaded',
    'The service runs with --no-module-uploads: put the file in place on its machine, or start it without.',
  ),
  'executable-locked': problem(
    403,
    'The operating system forbids it',
    'Check the permissions of the executables folder.',
  ),
  'unknown-path': problem(404, 'There is nothing at this path', 'The reference under /docs/ lists every path.'),
  'unknown-object': problem(
    404,
    'The object does not exist',
    'Check how it is written, in upper and lower case. It may have been renamed or deleted, or not be rendered yet. The list of its kind, the same path without the name, has what there is.',
  ),
  'unknown-site': problem(404, 'The site is not known', 'GET /sites lists those that this centre has heard of.'),
  'unknown-stack': problem(404, 'The stack does not exist', 'GET the names of the stacks to see what there is.'),
  'unknown-revision': problem(404, 'The revision does not exist', 'GET /cfgdb/revisions lists the stored ones.'),
  'no-executable': problem(404, 'The function module has no executable', 'PUT one first.'),
  'method-not-allowed': problem(405, 'The method does not apply here', 'The Allow header lists those that do.'),
  'not-acceptable': problem(406, 'There is no such form of the answer', 'The detail names those that there are.'),
  'request-timeout': problem(408, 'The request took too long to arrive', 'Send it again, faster or in parts.'),
  'last-administrator': problem(
    409,
    'Nobody could manage users then',
    'Give another user the role of an administrator first.',
  ),
  'already-initialized': problem(
    409,
    'There are users already',
    'Sign in, or recover access: telltale access recover.',
  ),
  'not-initialized': problem(409, 'There are no users yet', 'Make the first administrator: telltale access init.'),
  'destination-not-rendered': problem(
    409,
    'The destination is not the one that runs',
    'Render the change of the destination, or discard it; then set the secret.',
  ),
  'approval-ended': problem(
    409,
    'It does not wait for approval any more',
    'Nothing was sent by this. The detail says what has become of it; request it again where it is still wanted.',
  ),
  'role-in-use': problem(409, 'Somebody has the role', 'Take it from them first; the detail says from whom.'),
  'name-taken': problem(409, 'Another object has the name', 'Choose another one, or delete that object and render.'),
  'module-disabled': problem(
    409,
    'The function module is disabled',
    'Set enabled of the module and render the configuration; then it starts by itself.',
  ),
  'link-disabled': problem(
    409,
    'The connector or provider is disabled',
    'Enable it: then it connects. The detail says who disabled it, when and why.',
  ),
  'no-admission': problem(
    409,
    'This service lets nobody onto a bus',
    'Ask the centre whose authority signs for the bus; the detail says what is missing here.',
  ),
  'last-member': problem(
    409,
    'This centre would cut itself off',
    'Nothing was changed: it is the member that lets others in.',
  ),
  'wrong-certificate': problem(
    409,
    'That cannot be done with this certificate',
    'Nothing was changed. The detail says what the certificate is, and what to do.',
  ),
  'command-changed': problem(
    409,
    'The command was configured otherwise meanwhile',
    'Nothing was sent. Look at the command as it is now, and write again.',
  ),
  'device-alarm': problem(
    409,
    'A device raises and clears this alarm',
    'It follows its device. Acknowledge it, which is passed to the device, or act at the device itself.',
  ),
  'body-too-large': problem(413, 'The body is too large', 'The detail names the limit and its setting.'),
  'object-too-large': problem(413, 'The object is too large', 'An object is at most 1 MiB of JSON.'),
  'unsupported-media-type': problem(415, 'The Content-Type does not apply here', 'The detail names those that do.'),
  'too-many-requests': problem(429, 'Too many requests are under way', 'Wait for answers before asking more.'),
  'too-many-attempts': problem(
    429,
    'Too many tries to sign in have failed',
    'Wait for as many seconds as Retry-After says. A browser that has signed in to the account before need not wait.',
  ),
  'too-many-watches': problem(429, 'Too much is watched', 'Watch "all", or raise the limit that the detail names.'),
  'headers-too-large': problem(431, 'The URL or the headers are too long', 'Shorten them; list fewer names.'),
  'operation-failed': problem(500, 'An operation failed', 'Nothing was changed; the detail says which and why.'),
  'render-refused': problem(
    500,
    'The configuration cannot be rendered',
    'Each entry of errors names an object and a field; what runs is unchanged.',
  ),
  'upload-refused': problem(500, 'The uploaded database was refused', 'Nothing was changed; the detail says why.'),
  'module-failed': problem(
    500,
    'The function module did not start',
    'The detail says why. Fix it and start the module again; its output is in its log.',
  ),
  'storage-failed': problem(
    500,
    'The disk did not take it',
    'Look at the free space, the permissions and the log. The detail says what was changed, where anything was.',
  ),
  'executable-damaged': problem(
    500,
    'The executable is not as it was uploaded',
    'It is not run. PUT it again; or, where it was replaced on purpose, POST /cfgdb/missing/acknowledge.',
  ),
  internal: problem(500, 'The service made a mistake', 'Nothing is known to be wrong with the request; see the log.'),
  'not-supported': problem(
    501,
    'The stack cannot do this',
    'Not every protocol or device supports it; the detail says what is missing.',
  ),
  'device-refused': problem(502, 'The device refused the query', 'The detail gives its reason.'),
  'device-timeout': problem(
    504,
    'The connector did not answer in time',
    'Ask again, for less where that can be said; look at the state of the connector.',
  ),
  'write-refused': problem(
    502,
    'The device did not accept the command',
    'The detail has the reason; the value that is shown is unchanged.',
  ),
  'acknowledge-refused': problem(
    502,
    'The device did not accept the acknowledgement',
    'The detail has the reason; the alarm is as it was.',
  ),
  'acknowledge-timeout': problem(
    504,
    'The device has not answered the acknowledgement',
    'The detail says whether it may have taken the acknowledgement; then the alarm shows it as soon as the device reports it.',
  ),
  'connector-down': problem(
    503,
    'The connector has no link to its device',
    'Ask again when it is up; of a write, the detail says whether anything may have been sent.',
  ),
  'write-timeout': problem(
    504,
    'The device gave no clear answer',
    'The detail says whether the command was sent; if so, look at the device before you write again.',
  ),
  'too-many-clients': problem(
    503,
    'Too many clients are connected',
    'Close some, or raise the limit that the detail names.',
  ),
  'disk-failing': problem(
    503,
    'The disk does not take what is written',
    'Values are live and alarms are raised, but commands, operations and simulations fail. Look at the free space, the permissions and the log; writing is retried every second.',
  ),
  'directory-unavailable': problem(
    503,
    'The directory of users does not answer',
    'Sign in again when it is back. Local users can sign in meanwhile.',
  ),
  'site-away': problem(
    503,
    'The site does not answer',
    'Nothing was done. The detail says why it is not there; /sites says since when. What it has archived can be read all the same.',
  ),
  'outcome-unknown': problem(
    504,
    'The site has not answered in time',
    'It may have been done. The detail has the id of the request: GET /sites/SITE/requests/ID says what has become of it.',
  ),
  'store-unavailable': problem(
    503,
    'The shared store does not answer',
    'Ask again when it is back; the detail says what is wrong. What sites record meanwhile waits there.',
  ),
  'cannot-switch': problem(
    409,
    'The other node cannot take over now',
    'Nothing has changed: the detail says what stands in the way; telltale standby shows both nodes.',
  ),
  'not-leading': problem(
    503,
    'This node does not lead the site',
    'Ask the node that the detail names. Where there is none, wait: one of them leads as soon as most members of etcd answer.',
  ),
  'audit-failing': problem(
    503,
    'The audit trail cannot be written',
    'Operating goes on; the configuration and users are not changed. Make room on the disk: it is tried again every second.',
  ),
  overloaded: problem(503, 'The service has too much at once', 'Ask again after as many seconds as Retry-After says.'),
  'data-missing': problem(
    503,
    'Something that was acknowledged is missing',
    'The service runs with what is there. The detail says what is missing and where the files are as they were found; ' +
      'restore it or accept the loss, then run telltale config missing --acknowledge, or POST /cfgdb/missing/acknowledge.',
  ),
  'data-folder-gone': problem(
    503,
    'The data folder, or a file in it, is missing',
    'Values are live and alarms are raised, but nothing is written. Put back what the detail names; it is looked for ' +
      'every second. What cannot be put back needs a restart.',
  ),
  'too-many-connections': problem(
    503,
    'Too many connections are open',
    'Close some, or give the service more file descriptors (ulimit -n, LimitNOFILE).',
  ),
  starting: problem(503, 'The service is starting', 'Ask again in a moment; /readyz reports when it is ready.'),
  stopping: problem(503, 'The service is stopping', 'Ask again when it is back.'),
} as const;

export type ProblemName = keyof typeof problems;

export const problemMediaType = 'application/problem+json';

/** Where the reference page explains the problem; a relative reference, so that it holds behind any proxy. */
export const problemPage = (name: ProblemName) => `/docs/#problem-${name}`;

/** Thrown by any part; the interface of the request turns it into the answer. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: ProblemName;
  readonly errors: Fault[] | undefined;
  /** When another try is worth it, where that is known. */
  readonly retryAfterS: number | undefined;

  constructor(problem: ProblemName, detail: string, errors?: Fault[], retryAfterS?: number) {
    super(detail);
    this.problem = problem;
    this.errors = errors;
    this.retryAfterS = retryAfterS;
  }

  get status(): number {
    return problems[this.problem].status;
  }

  toJSON(): Problem {
    const { title, status } = problems[this.problem];
    const body = { type: problemPage(this.problem), title, status, detail: this.message };
    return this.errors === undefined ? body : { ...body, errors: this.errors };
  }
}

/** What is wrong with one parameter, as a sentence without its subject and its full stop. */
export function invalidQuery(path: string, message: string): ProblemError {
  return new ProblemError('invalid-query', `${path} ${message}.`, [{ path, message }]);
}
