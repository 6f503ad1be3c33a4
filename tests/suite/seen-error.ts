/** What was thrown, as far as its class and code say what it is. */
export interface SeenError {
  name: string
  message: string
  stack?: string
  code?: string | number
  /** Of the refusal by the product that it stands for: `Failure` in this process, an error of a client of ours or of a vendor's SDK. */
  refusal?: Refusal
  cause?: SeenError
  /** Of a SuppressedError and an AggregateError: those that it stands for. */
  within?: SeenError[]
}

export interface Refusal {
  status: number
  code: string
  /** The sentence that was answered. */
  message?: string
  /** What was thrown in this process in place of a sentence. */
  why?: string
}

type Fields = Record<string, unknown>

/** Vitest hands errors on without their class, and with all their members. Both ends of a long text are kept. */
const longest = 20_000
const deepest = 5

/** An error as Vitest hands it to its reporters. */
export function seenError(from: unknown, depth = 0): SeenError {
  const error = (typeof from === 'object' && from !== null ? from : { message: String(from) }) as Fields
  const { name, code, cause } = error
  const within = depth < deepest ? thoseWithin(error).map((one) => seenError(one, depth + 1)) : []
  const refusal = refusalOf(error)
  return {
    name: typeof name === 'string' ? name : '',
    message: shortened(String(error['message'] ?? '')),
    ...(typeof error['stack'] === 'string' && { stack: shortened(error['stack']) }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(refusal && { refusal }),
    ...(cause != null && depth < deepest && { cause: seenError(cause, depth + 1) }),
    ...(within.length > 0 && { within }),
  }
}

/** What a body failed with, and with what its disposal did; or several that failed beside each other. */
function thoseWithin(error: Fields): unknown[] {
  if (error['name'] === 'SuppressedError') return [error['suppressed'], error['error']]
  return Array.isArray(error['errors']) && error['name'] === 'AggregateError' ? error['errors'] : []
}

function refusalOf(error: Fields): Refusal | undefined {
  const { name, status, code } = error
  if (typeof status !== 'number') return undefined
  if (name === 'Failure' && typeof code === 'string') {
    const { why } = (error['detail'] ?? {}) as Fields
    return { status, code, ...(typeof why === 'string' && { why }) }
  }
  // The SDKs of OpenAI and Anthropic: the first keeps what stands under `error` of the body, the second the body.
  const body = error['error'] as Fields | undefined
  return refusalIn(status, body?.['error'] ?? body)
}

/** What our error body (docs/errors.md) says under `error`; undefined where it is none. */
export function refusalIn(status: number, said: unknown): Refusal | undefined {
  if (typeof said !== 'object' || said === null) return undefined
  const { code, message } = said as Fields
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  return { status, code, message }
}

const shortened = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest / 2)} … ${text.slice(-longest / 2)}`
