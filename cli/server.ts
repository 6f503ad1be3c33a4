/** Requests to a running server over HTTP, with a key. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Language } from '#platform/errors'
import { loadConfig } from '#settings'
import { CommandRefused, type ParsedArguments, refuse, refuseUsage, type Session } from './command.ts'
import { readBounded, readStream, utf8 } from './read-bounded.ts'
import { serverPhrases as words } from './server/phrases.ts'

export interface Server {
  url: string
  key: string
  language: Language
  /** Aborts when the command is stopped. */
  stopping: AbortSignal
  /** Writes a line of progress. */
  notify(line: string): void
}

/** How often a request is tried while the server cannot be reached: for about two minutes. */
const maxTries = 30
const maxPauseMs = 5_000
/** The notice comes early enough for a person who waits, and not for a connection that only broke once. */
const triesBeforeNotice = 2
const maxRefusalBytes = 1024 * 1024
const maxKeyBytes = 4 * 1024

/** Reads the address and the key as typed, else from the environment. A key in the words of a command is visible to others of this machine. */
export async function serverOf(
  { env, language, stopping, notify }: Session,
  { options }: ParsedArguments,
): Promise<Server> {
  const key = ((await keyFromOptions(options)) ?? env.clientKey)?.trim()
  if (key === undefined || key === '') refuseUsage(words.noKey())
  // A header can carry nothing else, such as letters typed on a Persian keyboard.
  if (!/^[\x21-\x7e]+$/.test(key)) refuseUsage(words.badKey())
  const typed = options['url']
  if (typed === undefined) return { url: loadConfig(env).baseUrl, key, language, stopping, notify }
  const url = URL.parse(typed)
  if (!url || !/^https?:$/.test(url.protocol)) refuseUsage(words.badUrl(typed))
  // Clients of other tools are given a base URL with /v1.
  const base = url.href.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')
  return { url: base, key, language, stopping, notify }
}

async function keyFromOptions({
  key,
  'key-file': file,
}: ParsedArguments['options']): Promise<string | undefined> {
  if (file !== undefined && key !== undefined) refuseUsage(words.twoKeys())
  if (key === '-')
    return (
      utf8(await readStream(process.stdin, maxKeyBytes, words.keyTooLong())) ?? refuseUsage(words.badKey())
    )
  if (file === undefined) return key
  return utf8(await readBounded(file, maxKeyBytes)) ?? refuseUsage(words.badKey())
}

/** A refusal of the server, in its words. */
export class ServerRefused extends CommandRefused {
  readonly status: number
  /** True where the server will not run this same request again. */
  readonly isFinal: boolean
  readonly files: readonly string[]
  /** The place of the error in the code that was sent. */
  readonly place: { line: number; column: number } | undefined

  constructor(reply: Response, error: ErrorMembers | undefined) {
    const message = plain(error?.message ?? `HTTP ${reply.status}`)
    super(
      plain(error?.code ?? 'NOT_KHERAD'),
      error ? { fa: message, en: message } : words.notKherad(reply.status),
      1,
      {
        ...(error?.param !== undefined && { param: plain(error.param) }),
        ...(error?.request_id !== undefined && { request_id: plain(error.request_id) }),
        ...(error?.receipt_id !== undefined && { receipt_id: plain(error.receipt_id) }),
      },
    )
    this.status = reply.status
    this.isFinal = reply.headers.get('x-should-retry') === 'false'
    const files = error?.details?.files
    this.files = Array.isArray(files) ? files.map(plain) : []
    const { line, column } = error?.details ?? {}
    this.place = typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined
  }
}

interface ErrorMembers {
  code?: string
  message?: string
  param?: string
  request_id?: string
  receipt_id?: string
  details?: { files?: unknown; line?: unknown; column?: unknown }
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface RequestOptions {
  /** A value to be written as JSON, or JSON as text. */
  body?: unknown
  /** Used in place of `body`; its files are read anew for each try. */
  form?: FormData
  headers?: Record<string, string>
  /** Ends the waiting. */
  until?: AbortSignal
}

const maxSaidCharacters = 2_000

/** The text without controls and marks of direction, with which an answer could write over a terminal, and of bounded length. */
export const plain = (text: unknown): string =>
  String(text)
    .slice(0, maxSaidCharacters)
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ')

/** The answer before its body is read. */
export const requestReply = (
  server: Server,
  method: Method,
  path: string,
  requestOptions: RequestOptions = {},
): Promise<Response> => request(server, method, path, requestOptions, async (reply) => reply)

/**
 * Repeats the request until the server has answered and `read` has read the answer, so it has to be safe to repeat. Throws `ServerRefused` for a
 * refusal, SERVER_AWAY after two minutes without an answer, and the reason of the signal that ended it.
 */
export async function request<Answer>(
  server: Server,
  method: Method,
  path: string,
  requestOptions: RequestOptions,
  read: (reply: Response) => Promise<Answer>,
): Promise<Answer> {
  const signal = requestOptions.until
    ? AbortSignal.any([server.stopping, requestOptions.until])
    : server.stopping
  for (let lost = 0; ; ) {
    const failed = await send(server, method, path, requestOptions, signal)
      .then(async (reply) => ({ answer: await (reply.ok ? read(reply) : throwRefusal(reply)) }))
      .catch((error: Error) => error)
    if (!(failed instanceof Error)) return failed.answer
    signal.throwIfAborted()
    const isRefused = failed instanceof CommandRefused
    if (isRefused && !isWorthRetrying(failed)) throw failed
    // A request that waits for the end of its own first try is not given up.
    if (failed instanceof ServerRefused && isInProgress(failed)) lost = 0
    else lost++
    if (lost === maxTries)
      throw isRefused ? failed : new CommandRefused('SERVER_AWAY', words.away(server.url), 1)
    if (lost === triesBeforeNotice) {
      const notice = isRefused ? words.again(failed.sentence) : words.waiting(server.url)
      server.notify(notice[server.language])
    }
    await pause(lost === 0 ? runningPauseMs : Math.min(250 * lost, maxPauseMs), undefined, { signal })
  }
}

const runningPauseMs = 1_000

const isInProgress = ({ code }: CommandRefused): boolean => code === 'IDEMPOTENCY_IN_PROGRESS'

/** Whether another try may succeed. A proxy in between may answer 502 or 504 in its own words while the server still works. */
const isWorthRetrying = (refused: CommandRefused): boolean =>
  isInProgress(refused) ||
  (refused instanceof ServerRefused &&
    !refused.isFinal &&
    (refused.status === 503 || (refused.status >= 500 && refused.code === 'NOT_KHERAD')))

const send = (
  { url, key, language }: Server,
  method: string,
  path: string,
  { body, form, headers }: RequestOptions,
  signal: AbortSignal,
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method,
    // If a redirect were followed, the key would go to wherever the answer says.
    redirect: 'manual',
    signal,
    headers: {
      authorization: `Bearer ${key}`,
      'accept-language': language,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(form && { body: form }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

async function throwRefusal(reply: Response): Promise<never> {
  const text = (await readBytes(reply, maxRefusalBytes)).toString()
  const { error } = (readJson(text) ?? {}) as { error?: ErrorMembers }
  throw new ServerRefused(reply, typeof error?.code === 'string' ? error : undefined)
}

/** The whole body, of at most `maxBytes`; `arrived` gets the number of bytes so far. */
export async function readBytes(
  { body }: Response,
  maxBytes: number,
  arrived: (bytes: number) => void = () => {},
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(piecesOf({ body }, maxBytes, arrived)))
}

/** The body in pieces as they come, of at most `maxBytes`. */
export async function* piecesOf(
  { body }: Pick<Response, 'body'>,
  maxBytes: number,
  arrived: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) refuse('ANSWER_TOO_LARGE', words.tooLarge(maxBytes))
    arrived(bytes)
    yield piece
  }
}

/** The value of a JSON text; undefined for any other text. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
