/**
 * Refusals: each has a stable code, an HTTP status, and sentences in Persian and English. The room that raises a code declares it in its `phrases.ts`
 * or `errors.ts`: its detail by merging into `Failures`, its HTTP status and sentences (en and fa, with what to do next) by `declareFailures`.
 */

// biome-ignore lint/suspicious/noEmptyInterface: rooms add their codes by declaration merging.
export interface Failures {}

export type FailureCode = keyof Failures & string

export type Language = 'en' | 'fa'

/** A text in each language. */
export type Localized = Record<Language, string>

export interface Declaration<Detail> {
  status: number
  en: (detail: Detail) => string
  fa: (detail: Detail) => string
  /** False if repeating the request cannot change the answer, sent as `x-should-retry: false`; true for a conflict that passes by itself. */
  retry?: boolean
}

const declared = new Map<string, Declaration<never>>()

export function declareFailures<Code extends FailureCode>(
  table: { [C in Code]: Declaration<Failures[C]> },
): Code[] {
  for (const code of Object.keys(table) as Code[]) {
    if (declared.has(code)) throw new Error(`The failure ${code} is declared twice.`)
    declared.set(code, table[code] as Declaration<never>)
  }
  return Object.keys(table) as Code[]
}

export function declarationOf(code: string): Declaration<unknown> {
  const found = declared.get(code)
  if (!found) throw new Error(`The failure ${code} is not declared.`)
  return found as Declaration<unknown>
}

/** The sentence of a failure with names in place of its details (`The file ‹file› does not exist`), for references that list failures. */
export function sentenceOf(code: string, language: Language): string {
  let numbers = 0
  const detail = new Proxy(
    {},
    { get: (_target, name) => placeholder(String(name), () => 12_500_000 / ++numbers) },
  )
  return declarationOf(code)[language](detail)
}

/** Stands for a detail of any type: it prints as its name, as list and as text, and counts as a number of its own. */
function placeholder(name: string, asNumber: () => number): object {
  const shown = (): string => `‹${name}›`
  return {
    length: 1,
    map: () => placeholder(name, asNumber),
    en: shown(),
    fa: shown(),
    join: shown,
    toString: shown,
    toLocaleString: shown,
    toFixed: shown,
    [Symbol.toPrimitive]: (hint: string) => (hint === 'number' ? asNumber() : shown()),
  }
}

/** All declared codes, for the docs. */
export const declaredCodes = (): string[] => [...declared.keys()].sort()

export interface FailureOptions {
  /** The path of the invalid field, such as `messages.0.content`. */
  param?: string
  /** True if an upstream may already have worked for this request; otherwise the answer says `execution_started: false`. */
  executed?: boolean
  retryAfterMs?: number
  /** True if this very request is not run again, whatever its code says about repeats (`x-should-retry: false`); false if it may be. */
  final?: boolean
  /** The id of the receipt to which the refusal refers. */
  receiptId?: string
  /** Fields that clients of a wire read beside the code. */
  details?: Record<string, unknown>
  cause?: unknown
}

export class Failure extends Error {
  override name = 'Failure'
  readonly code: FailureCode
  readonly detail: unknown
  readonly status: number
  readonly more: FailureOptions

  constructor(code: FailureCode, detail: unknown, more: FailureOptions) {
    super(code, { cause: more.cause })
    this.code = code
    this.detail = detail
    this.status = declarationOf(code).status
    this.more = more
  }
}

/** Throws the failure `code`; nothing after it runs. */
export function fail<Code extends FailureCode>(
  code: Code,
  detail: Failures[Code],
  more: FailureOptions = {},
): never {
  throw new Failure(code, detail, more)
}

const temporaryCodes: ReadonlySet<string> = new Set([
  'SERVICE_UNAVAILABLE',
  'STORAGE_FULL',
  'STORAGE_UNWRITABLE',
])

/** Whether background work waits for the failure to pass instead of failing: the database is away, or a disk has no room. */
export const isTemporary = ({ code }: Failure): boolean => temporaryCodes.has(code)

/** The same failure, marked final, for a request that is not run again: a client that repeats it only gets this failure again. */
export const finalFailure = ({ code, detail, more }: Failure): Failure =>
  new Failure(code, detail, { ...more, final: true })

/** The `error.type` of a status, as common clients know it (decisions §4). */
export function errorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 402) return 'billing_error'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 409) return 'conflict_error'
  if (status === 429) return 'rate_limit_error'
  if (status === 504) return 'timeout_error'
  if (status === 529) return 'overloaded_error'
  return status >= 500 ? 'api_error' : 'invalid_request_error'
}

export interface ErrorBody {
  type: 'error'
  request_id: string
  error: {
    type: string
    code: string
    message: string
    param?: string
    execution_started?: false
    receipt_id?: string
    details?: Record<string, unknown>
    request_id: string
  }
}

/** The one error body of every client (contract section 7, decisions §4). */
export function errorBody(failure: Failure, requestId: string, language: Language): ErrorBody {
  const { status, more } = failure
  const startedNothing = !more.executed && status < 500 && status !== 409
  return {
    type: 'error',
    request_id: requestId,
    error: {
      type: errorType(status),
      code: failure.code,
      message: declarationOf(failure.code)[language](failure.detail),
      ...(more.param !== undefined && { param: more.param }),
      ...(startedNothing && { execution_started: false as const }),
      ...(more.receiptId !== undefined && { receipt_id: more.receiptId }),
      ...(more.details && { details: more.details }),
      request_id: requestId,
    },
  }
}

/** Headers that tell a client whether and when to try again. */
export function errorHeaders(failure: Failure): Record<string, string> {
  const headers: Record<string, string> = {}
  const { retry } = declarationOf(failure.code)
  const { retryAfterMs } = failure.more
  const isLasting = failure.status === 402 || failure.status === 409
  const { final = retry === undefined ? isLasting : !retry } = failure.more
  if (final) headers['x-should-retry'] = 'false'
  const waitMs = retryAfterMs ?? (failure.status === 429 || failure.status === 503 ? 1000 : undefined)
  if (waitMs !== undefined && headers['x-should-retry'] === undefined) {
    headers['retry-after'] = String(Math.ceil(waitMs / 1000))
    headers['retry-after-ms'] = String(Math.ceil(waitMs))
  }
  return headers
}

/** Turns anything thrown into a failure: an error that is not a `Failure` becomes INTERNAL, whose cause is logged and never shown. */
export function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('INTERNAL', {}, { cause: error, executed: true })
}

/** Stops the start (or a command) with one sentence for people, Persian beside English. */
export class StartRefused extends Error {
  override name = 'StartRefused'
  readonly fa: string | undefined
  constructor(en: string, fa?: string) {
    super(en)
    this.fa = fa
  }
}

/** Stops the start with one sentence in both languages. */
export function refuseStart(sentence: Localized, cause?: unknown): never {
  const refused = new StartRefused(sentence.en, sentence.fa)
  if (cause !== undefined) refused.cause = cause
  throw refused
}
