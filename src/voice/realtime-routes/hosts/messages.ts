/** The messages, as JSON, that one process sends to another that is to begin a call. */
import type { Caller } from '#platform/auth'
import { isDatabaseAway } from '#platform/db'
import { asFailure, Failure, type FailureOptions, type Language } from '#platform/errors'
import { HttpAnswer, JsonText, type RequestContext } from '#platform/http'
import { exactly } from '#platform/json'
import { type Claim, ClaimTaken } from '#platform/ledger'
import type { Log } from '#platform/log'
import { TraceContext } from '#platform/trace'

export const paths = { begin: '/begin', socket: '/socket', end: '/end' } as const
/** The request of a call over a WebSocket, whose handshake has no body. */
export const requestHeader = 'x-request'

/** A request that was admitted: its caller, and its checked content. */
export interface SentRequest {
  caller: SentCaller
  body: unknown
  /** The fields of a form. */
  fields?: unknown
  query: unknown
  operation: string
  requestId: string
  claim?: Claim | undefined
  headers: RequestContext<unknown>['headers']
  peer: string
  origin: string
  language: Language
  receivedMs: number
}

type SentCaller = Omit<Caller, 'scopes' | 'models' | 'origins' | 'clientSecretHash'> & {
  scopes: string[]
  models?: string[] | undefined
  clientSecretHash?: string | undefined
}

/** The headers with credentials, which the other process does not need. */
const withheld: readonly string[] = ['authorization', 'x-api-key', 'sec-websocket-protocol', 'cookie']

export function sentRequest(context: RequestContext<unknown>): SentRequest {
  const { body, upload, query, operation, requestId, claim, headers, peer, origin, language, receivedMs } =
    context
  return {
    caller: sentCaller(context.caller),
    ...{
      body: exactly(body),
      fields: upload?.fields,
      query,
      operation,
      requestId,
      claim,
      peer,
      origin,
      language,
      receivedMs,
    },
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !withheld.includes(name))),
  }
}

function sentCaller({ scopes, models, origins: _, clientSecretHash, ...plain }: Caller): SentCaller {
  return {
    ...plain,
    scopes: [...scopes],
    models: models && [...models],
    clientSecretHash: clientSecretHash?.toString('hex'),
  }
}

function callerOf({ scopes, models, clientSecretHash, ...plain }: SentCaller): Caller {
  return {
    ...plain,
    scopes: new Set(scopes),
    models: models && new Set(models),
    ...(clientSecretHash !== undefined && { clientSecretHash: Buffer.from(clientSecretHash, 'hex') }),
  }
}

/** The context of the request for a handler of this process. */
export function receivedContext<App>(
  app: App,
  { caller, fields, claim, ...sent }: SentRequest,
  gone: AbortSignal,
  setHeader: RequestContext<unknown>['setHeader'] = () => {},
): RequestContext<App> {
  return {
    ...sent,
    ...{ app, gone, setHeader, claim },
    // The memory of its bytes is reserved in the process that received them.
    reserveMemory: async () => {},
    caller: callerOf(caller),
    person: caller.person,
    cookie: () => undefined,
    setCookie: () => {},
    bodyFile: undefined,
    upload: fields === undefined ? undefined : { fields, files: [] },
    params: {},
    // The process that received the request has the headers of its answer.
    answerHeaders: {},
    isHead: false,
    trace: new TraceContext(undefined),
  }
}

/** The answer of a handler: JSON text, or text of a type of its own. */
export type SentAnswer = { headers: [string, string][] } & (
  | { status: number; json?: string; text?: string; type?: string | undefined }
  | { refusal: SentRefusal }
)

export function sentAnswer(answer: unknown, headers: [string, string][]): SentAnswer {
  const { status, body, contentType } = answer instanceof HttpAnswer ? answer : new HttpAnswer(200, answer)
  if (typeof body === 'string') return { headers, status, text: body, type: contentType }
  return {
    ...{ headers, status, type: contentType },
    json: body instanceof JsonText ? body.text : JSON.stringify(body),
  }
}

/** The answer, as if the handler had run here. Throws the handler's failure. */
export function answerOf(context: RequestContext<unknown>, sent: SentAnswer): HttpAnswer {
  for (const [name, value] of sent.headers) context.setHeader(name, value)
  if ('refusal' in sent) throw refusalOf(sent.refusal)
  const { status, json, text, type } = sent
  return new HttpAnswer(status, json === undefined ? text : new JsonText(json), type)
}

/** A failure as its code and detail; both processes have its sentences. */
export type SentRefusal =
  | { code: string; detail: unknown; more: Omit<FailureOptions, 'cause'> }
  /** The receipt that has the idempotency key. */
  | { claimTaken: string }

export function sentRefusal(error: unknown, log: Log): SentRefusal {
  if (error instanceof ClaimTaken) return { claimTaken: error.receiptId }
  const { code, detail, more } = isDatabaseAway(error)
    ? new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, {})
    : asFailure(error)
  if (code === 'INTERNAL') log.error({ err: error }, 'a call of another process could not begin')
  const { cause: _, ...plain } = more
  return { code, detail: withoutBigints(detail), more: plain }
}

export function refusalOf(sent: SentRefusal): Error {
  if ('claimTaken' in sent) return new ClaimTaken(sent.claimTaken)
  return new Failure(sent.code as 'INTERNAL', withBigints(sent.detail) as never, sent.more)
}

/** The key that marks micro-credits in the detail of a failure. */
const bigintKey = 'bigint of the channel'

const withoutBigints = (detail: unknown): unknown =>
  JSON.parse(
    JSON.stringify(detail, (_, value) =>
      typeof value === 'bigint' ? { [bigintKey]: String(value) } : value,
    ),
  )

const withBigints = (detail: unknown): unknown =>
  JSON.parse(JSON.stringify(detail), (_, value) =>
    typeof value?.[bigintKey] === 'string' ? BigInt(value[bigintKey]) : value,
  )

export const asHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
export const fromHeader = <Value>(text: string): Value =>
  JSON.parse(Buffer.from(text, 'base64url').toString()) as Value
