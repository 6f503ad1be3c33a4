/** The form of an error in the log. */
interface LoggedError {
  type: string
  message: string
  stack?: string
  code?: string
  status?: number
  cause?: LoggedError
}

const maxDepth = 5

/**
 * The name, message, code, stack and cause of an error. Two kinds of messages are cut because they quote input: messages of upstreams about a request
 * (`UpstreamError`) and about invalid JSON (`SyntaxError`). Other fields are left out, since PostgreSQL puts entire rows into them.
 */
export function errorForLog(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'something that is no Error was thrown' }
  const { code, status, cause } = error as { code?: unknown; status?: unknown; cause?: unknown }
  const frames = framesOf(error)
  return {
    type: error.name,
    message: withoutQuotes(error),
    ...(frames !== '' && { stack: frames }),
    ...(typeof code === 'string' && { code }),
    ...(typeof status === 'number' && { status }),
    ...(cause !== undefined && depth < maxDepth && { cause: errorForLog(cause, depth + 1) }),
  }
}

function withoutQuotes(error: Error): string {
  if (error.name === 'SyntaxError') return 'a text that cannot be parsed'
  return error.name === 'UpstreamError' ? (error.message.split(':', 1)[0] ?? '') : error.message
}

/** The frames of a stack without the message before them, which may have many lines. */
function framesOf({ stack = '', message }: Error): string {
  const at = message === '' ? 0 : stack.indexOf(message) + message.length
  return stack
    .slice(at)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .join('\n')
}
