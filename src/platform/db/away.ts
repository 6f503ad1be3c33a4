/** Error codes of sockets. */
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** SQLSTATE codes for "not now": shutdown by an operator, crash recovery, starting up, no connection left, a full disk. */
const serverCodes = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '53100'])

/** For some broken connections pg reports only a message, without a code. */
const sentences = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  // The client's own timeout (`openDb`), for a connection that accepts everything and answers nothing.
  'Query read timeout',
]

/**
 * Returns true if an error says that the database cannot be reached or has gone away, as opposed to having refused a statement. Callers answer 503
 * then. Whether a statement in flight was carried out is unknown.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code !== undefined) {
    // Class 08 is PostgreSQL's "connection exception". ENOENT counts only for a socket: a missing file is another matter.
    if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect'
    // The error of ALTER DATABASE … ALLOW_CONNECTIONS false; the code alone is not specific enough.
    if (code === '55000') return error.message.endsWith('is not currently accepting connections')
    if (socketCodes.has(code) || serverCodes.has(code) || /^08[0-9A-Z]{3}$/.test(code)) return true
  }
  if (sentences.some((sentence) => error.message.startsWith(sentence))) return true
  return error.cause !== undefined && isDatabaseAway(error.cause)
}

/** Whether PostgreSQL has refused a statement because its disk is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && error.code === '53100') || isDiskFull(error.cause))

/** Whether PostgreSQL has cancelled a statement: by its timeout (57014), or because a lock was not free in time (55P03). */
export const isCanceled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '57014' || error.code === '55P03')
