import { pino } from 'pino'

/** Structured logs, one JSON line each on standard error. Prompts, answers and secrets are never passed to it. */
export type Log = Pick<ReturnType<typeof pino>, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

export const openLog = (level: string): Log =>
  pino({ level, base: null }, pino.destination({ dest: 2, sync: false }))
