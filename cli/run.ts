/** Reads the typed words, runs one command on the project's own code, prints one answer. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Env } from '#platform/env'
import { StartRefused } from '#platform/errors'
import { release } from '#platform/release'
import { type ParsedCommandLine, readArguments } from './arguments.ts'
import { type Command, CommandRefused, type CommandResult, sentenceOf } from './command.ts'
import { commandsFor } from './commands.ts'
import { help } from './help.ts'
import { phrases } from './phrases.ts'
import { openSession } from './session.ts'

/** Where a command prints, and the signal that stops it. */
export interface Terminal {
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
  /** Aborts when the command is to stop; its reason is the exit code then. */
  stop: AbortSignal
}

/** Runs a command and returns the exit code. The promise resolves only when all that was opened is closed. */
export const runCommand = (argv: readonly string[], env: Env, terminal: Terminal): Promise<number> =>
  new CommandRun(argv, env, terminal).run()

class CommandRun {
  readonly #argv: readonly string[]
  readonly #env: Env
  readonly #terminal: Terminal
  readonly #asJson: boolean
  readonly #verbose: boolean
  readonly #stopped = Promise.withResolvers<never>()
  readonly #stopping = new AbortController()
  #saidWhenStopped = new CommandRefused('INTERRUPTED', phrases.interrupted(), 1)
  #statusShown = false

  constructor(argv: readonly string[], env: Env, terminal: Terminal) {
    this.#argv = argv
    this.#env = env
    this.#terminal = terminal
    this.#asJson = argv.includes('--json')
    this.#verbose = argv.includes('--verbose')
    this.#stopped.promise.catch(() => undefined)
    terminal.stop.addEventListener('abort', () => {
      // The rejection comes first, so that this message is shown and not what follows from the abort.
      this.#stopped.reject(this.#saidWhenStopped)
      this.#stopping.abort(this.#saidWhenStopped)
    })
  }

  async run(): Promise<number> {
    const { stdout, stderr, stop } = this.#terminal
    try {
      const commands = await commandsFor(this.#argv)
      const outcome = await this.#answer(readArguments(this.#argv, commands), commands)
      if (!outcome.pieces)
        stdout.write(this.#asJson ? `${JSON.stringify(outcome.json, undefined, 2)}\n` : outcome.text)
      return outcome.failed ? 1 : 0
    } catch (error) {
      const refused = await asRefusal(error)
      this.#showStatus()
      stderr.write(this.#asJson ? this.#jsonError(refused) : textError(refused))
      if (this.#verbose && refused.code === 'INTERNAL') stderr.write(`${(error as Error).stack}\n`)
      return stop.aborted ? (stop.reason as number) : refused.exitCode
    }
  }

  get #language(): 'en' | 'fa' {
    return this.#env.locale === 'en' ? 'en' : 'fa'
  }

  async #answer(typed: ParsedCommandLine, commands: readonly Command[]): Promise<CommandResult> {
    if (typed.kind === 'version') return { json: { version: release }, text: `${release}\n` }
    if (typed.kind === 'help') {
      const full = typed.about.length === 0
      return help(full ? commands : typed.about, this.#language, full)
    }
    await using session = openSession(this.#env, this.#verbose, {
      notify: (line) => {
        this.#showStatus()
        if (!this.#asJson) this.#terminal.stderr.write(`${line}\n`)
      },
      status: (line) => this.#showStatus(line),
      stopping: this.#stopping.signal,
      whenStopped: (refused) => {
        this.#saidWhenStopped = refused
      },
    })
    const stopped = this.#stopped.promise
    // A command that is told to stop still closes the database in order before the process ends.
    const outcome = await Promise.race([typed.command.run(session, typed.given), stopped])
    if (outcome.pieces) await Promise.race([this.#write(outcome.pieces(this.#asJson)), stopped])
    return outcome
  }

  #showStatus(line?: string): void {
    const { stderr } = this.#terminal
    if (!this.#asJson && stderr.isTTY && (this.#statusShown || line !== undefined))
      stderr.write(`\r\x1b[K${line ?? ''}`)
    this.#statusShown = line !== undefined
  }

  /** Writes no faster than the output is read. When the command is told to stop, the pieces still end in order. */
  async #write(pieces: AsyncIterable<string>): Promise<void> {
    const { stdout, stop } = this.#terminal
    for await (const piece of pieces) {
      if (stop.aborted) return
      if (!stdout.write(piece)) await once(stdout, 'drain')
    }
  }

  #jsonError({ code, sentence, more }: CommandRefused): string {
    return `${JSON.stringify({ error: { code, message: sentence[this.#language], ...more } })}\n`
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

/** The error in both languages, as at the start of the server: the user may not know yet how to choose one. */
function textError({ sentence, code, more }: CommandRefused): string {
  // A server speaks one language, and programs know its refusals by their codes.
  const codes = [code, more['param']].filter((one) => one !== undefined).join(', ')
  const aside = more['request_id'] === undefined ? '' : ` (${codes})`
  return sentence.fa === sentence.en
    ? `${sentence.en}${aside}\n`
    : `${sentence.fa}${aside}\n${sentence.en}${aside}\n`
}
