/** The command line of Kherad: reads the words, runs one command on the project's own code, prints one answer. */
import { readFileSync } from 'node:fs'
import { type Env, readEnv } from '#platform/env'
import { StartRefused } from '#platform/errors'
import { readArguments, type Typed } from './arguments.ts'
import { type Command, CommandRefused, type Outcome, sentenceOf } from './command.ts'
import { commandsFor } from './commands.ts'
import { help } from './help.ts'
import { phrases } from './phrases.ts'
import { openSession } from './session.ts'

const argv = process.argv.slice(2)
let statusShown = false
const asJson = argv.includes('--json')
const verbose = argv.includes('--verbose')
const env = readEnv(process.env)
// The reader of our answer may leave before its end: `kherad key list | head`.
process.stdout.on('error', () => process.exit(0))

const stopped = Promise.withResolvers<never>()
stopped.promise.catch(() => undefined)
const stopping = new AbortController()
let saidWhenStopped = new CommandRefused('INTERRUPTED', phrases.interrupted(), 1)
let signalCode = 0
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.once(signal, () => {
    signalCode = code
    // First, so that this is said and not what comes of the abort.
    stopped.reject(saidWhenStopped)
    stopping.abort(saidWhenStopped)
  })
}

try {
  const commands = await commandsFor(argv)
  const outcome = await answer(readArguments(argv, commands), commands, env)
  if (!outcome.pieces)
    process.stdout.write(asJson ? `${JSON.stringify(outcome.json, undefined, 2)}\n` : outcome.text)
  process.exitCode = outcome.failed ? 1 : 0
} catch (error) {
  const refused = await asRefusal(error)
  showStatus()
  process.stderr.write(asJson ? jsonError(refused) : textError(refused))
  if (verbose && refused.code === 'INTERNAL') process.stderr.write(`${(error as Error).stack}\n`)
  process.exitCode = signalCode || refused.exitCode
}

async function answer(typed: Typed, commands: readonly Command[], env: Env): Promise<Outcome> {
  const language = env.locale === 'en' ? 'en' : 'fa'
  if (typed.kind === 'version') {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    return { json: { version }, text: `${version}\n` }
  }
  if (typed.kind === 'help') {
    const full = typed.about.length === 0
    return help(full ? commands : typed.about, language, full)
  }
  await using session = openSession(env, verbose, {
    notify(line) {
      showStatus()
      if (!asJson) process.stderr.write(`${line}\n`)
    },
    status: showStatus,
    stopping: stopping.signal,
    whenStopped: (refused) => {
      saidWhenStopped = refused
    },
  })
  // Told to stop, the database is still closed in order before the process ends.
  const outcome = await Promise.race([typed.command.run(session, typed.given), stopped.promise])
  if (outcome.pieces) await Promise.race([write(outcome.pieces(asJson)), stopped.promise])
  return outcome
}

function showStatus(line?: string): void {
  if (!asJson && process.stderr.isTTY && (statusShown || line !== undefined))
    process.stderr.write(`\r\x1b[K${line ?? ''}`)
  statusShown = line !== undefined
}

/** No faster than it is read; told to stop, the pieces come to their own end. */
async function write(pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (signalCode !== 0) return
    if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve))
  }
}

async function asRefusal(error: unknown): Promise<CommandRefused> {
  if (error instanceof CommandRefused) return error
  if (error instanceof StartRefused) return new CommandRefused('START_REFUSED', sentenceOf(error), 1)
  const reason = error instanceof Error ? error.message : String(error)
  const { isDatabaseAway } = await import('#platform/db')
  if (isDatabaseAway(error)) return new CommandRefused('DATABASE_AWAY', phrases.databaseAway(reason), 1)
  return new CommandRefused('INTERNAL', phrases.unexpected(reason), 1)
}

/** Both languages, as the start of the server does: who is refused may not know yet how to choose one. */
function textError({ sentence, code, more }: CommandRefused): string {
  // A server speaks one language, and programs know its refusals by their codes.
  const codes = [code, more['param']].filter((one) => one !== undefined).join(', ')
  const aside = more['request_id'] === undefined ? '' : ` (${codes})`
  return sentence.fa === sentence.en
    ? `${sentence.en}${aside}\n`
    : `${sentence.fa}${aside}\n${sentence.en}${aside}\n`
}

function jsonError({ code, sentence, more }: CommandRefused): string {
  const message = sentence[env.locale === 'en' ? 'en' : 'fa']
  return `${JSON.stringify({ error: { code, message, ...more } })}\n`
}
