/** The command line of Kherad as a process, with its arguments, its environment and its signals. */
import { readEnv } from '#platform/env'
import { runCommand } from './run.ts'

const stop = new AbortController()
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  process.once(signal, () => stop.abort(code))

const { stdout, stderr } = process
// The reader of our answer may leave before its end: `kherad key list | head`.
stdout.on('error', () => process.exit(0))
process.exitCode = await runCommand(process.argv.slice(2), readEnv(process.env), {
  stdout,
  stderr,
  stop: stop.signal,
})
