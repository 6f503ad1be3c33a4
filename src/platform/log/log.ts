/** The structured log: one JSON line per entry, never with prompts, answers or secrets. */
import { type DestinationStream, pino } from 'pino'
import { errorForLog } from './error-for-log.ts'

/** A structured log, one JSON line per entry. Prompts, answers and secrets are never passed to it. */
export type Log = Pick<ReturnType<typeof pino>, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

/** Opens a log that writes to standard error, unless another destination is given. */
export const openLog = (level: string, destination?: DestinationStream): Log =>
  pino(
    { level, base: null, serializers: { err: errorForLog } },
    destination ?? pino.destination({ dest: 2, sync: false }),
  )
