/** Which errors say that something came too late: known by class and code, and by the whole sentence where a library gives neither. */
import { type Refusal, refusalIn, type SeenError } from './seen-error.ts'

/**
 * What a failed test waited for in vain, in a few words; undefined where any of its errors is of another sort. A wait that ran out beside a
 * broken invariant is a broken invariant.
 */
export function lateness(errors: readonly SeenError[]): string | undefined {
  const each = errors.flatMap(apart).map(lateOf)
  return each.length > 0 && each.every((one) => one !== undefined) ? each[0] : undefined
}

const apart = (error: SeenError): SeenError[] => error.within?.flatMap(apart) ?? [error]

function lateOf(error: SeenError): string | undefined {
  return waitOf(error) ?? vitestWaitOf(error) ?? clientWaitOf(error) ?? refusedFor(error)
}

/** Of classes of our own. */
function waitOf({ name }: SeenError): string | undefined {
  if (name === 'WaitRanOut') return 'a wait that ran out'
  // `LeaseLost` of #work/runs.
  return name === 'Superseded' ? 'a lease that ended' : undefined
}

/** Vitest throws plain errors: its sentences are compared from end to end. */
function vitestWaitOf({ name, message, cause }: SeenError): string | undefined {
  if (cause?.name === 'Error' && cause.message === 'Matcher did not succeed in time.')
    return 'an expect.poll that ran out'
  if (name !== 'Error') return undefined
  if (message === 'Timed out in waitFor!' || message === 'Timed out in waitUntil!')
    return 'a wait that ran out'
  const [, kind] = timedOut.exec(message) ?? []
  return kind && `the timeout of the ${kind.toLowerCase()}`
}

const timedOut =
  /^(Test|Hook) timed out in \d+ms(?: while waiting for [^\n]+)?\.\nIf this is a long-running (?:test|hook), pass a timeout value as the last argument or configure it globally with "(?:test|hook)Timeout"\.$/

/** Of the clients that tests use: Playwright, fetch, pg. */
function clientWaitOf(error: SeenError): string | undefined {
  const { name, message, code, cause } = error
  const isAborted = code === DOMException.TIMEOUT_ERR
  if (name === 'TimeoutError' && (isAborted || /^[\w.]+: Timeout \d+ms exceeded\b/.test(message)))
    return 'the timeout of a client'
  if (fetchCodes.has(code) || (name === 'TypeError' && fetchCodes.has(cause?.code)))
    return 'the timeout of a request'
  return name === 'Error' && code === undefined && databaseSentences.has(message)
    ? 'the timeout of a connection to PostgreSQL'
    : undefined
}

const fetchCodes: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
/** pg and pg-pool give these no class and no code. */
const databaseSentences: ReadonlySet<string> = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Query read timeout',
])

/**
 * The codes of a 503 that says that something did not come in time. Others with that status are no matter of time (no room, a busy upstream), and
 * RESULT_NOT_STORED is a lost result. The sentences tell SERVICE_UNAVAILABLE for the database from that of a server that stops.
 */
const lateRefusals: Readonly<Record<string, (refusal: Refusal) => boolean>> = {
  SERVICE_UNAVAILABLE: ({ message, why }) => why === 'database' || databaseAway.has(message),
  FUNCTION_API_AWAY: () => true,
  PUBLICATION_NOT_CHECKED: () => true,
}

/** `late.test.ts` holds them against those of the product. */
const databaseAway: ReadonlySet<unknown> = new Set([
  'The service cannot reach its database; send the request again in a moment.',
  'سرویس به پایگاه داده دسترسی ندارد؛ کمی بعد دوباره بفرستید.',
])

function refusedFor(error: SeenError): string | undefined {
  const refusal = error.refusal ?? assertedRefusal(error)
  if (refusal?.status !== 503 || !Object.hasOwn(lateRefusals, refusal.code)) return undefined
  return lateRefusals[refusal.code]!(refusal) ? `a 503 ${refusal.code}` : undefined
}

/**
 * Of `expect(reply.status, reply.text).toBe(200)`, where the answer stands before the assertion. Without its text a 503 has no code, and is a wrong
 * status; so is one where another failure was expected.
 */
function assertedRefusal({ name, message }: SeenError): Refusal | undefined {
  if (name !== 'AssertionError') return undefined
  const [, text] = /^(\{.*\}): expected 503 to be 2\d\d(?: \/\/ Object\.is equality)?$/s.exec(message) ?? []
  if (text === undefined) return undefined
  try {
    return refusalIn(503, JSON.parse(text).error)
  } catch {
    return undefined
  }
}
