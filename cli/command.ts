/** What a command is, and what a run of it is given and answers. */
import type { Clock } from '#platform/clock'
import type { Env } from '#platform/config'
import type { Db } from '#platform/db'
import type { Language, StartRefused } from '#platform/errors'

/** One sentence in both languages. */
export interface Sentence {
  fa: string
  en: string
}

/** What stopped a start, as the CLI says it. */
export const saidBy = (refused: StartRefused): Sentence => ({
  en: refused.message,
  fa: refused.fa ?? refused.message,
})

export interface Command {
  /** `account create`, or the noun alone where it has no verbs. */
  name: string
  about: Sentence
  /** Its words after the name, each needed: `['ACCOUNT', 'CREDITS']`. */
  takes: readonly string[]
  /** Options with a value, by name; those of `needs` must be given. */
  options: readonly string[]
  needs: readonly string[]
  /** Options without a value; they stand in `Given.flags`. */
  flags?: readonly string[]
  /** True where one option at least has to be given, whichever. */
  changes?: true
  run(session: Session, given: Given): Promise<Outcome>
}

/** What was typed, counted and known, but not yet read. */
export interface Given {
  words: readonly string[]
  options: Readonly<Record<string, string>>
  flags: readonly string[]
}

/** Both faces of one answer; exactly one of them is printed. */
export interface Outcome {
  /** For `--json`: amounts in micro-credits are strings, times ISO 8601. */
  json: unknown
  /** For people. */
  text: string
  /** In place of both, an answer too long to be held: written as it comes, while the session is open. */
  pieces?: (asJson: boolean) => AsyncIterable<string>
  /** True ends the process with 1 although there is an answer (`doctor` found something broken). */
  failed?: boolean
}

/** The ground a command stands on; the database is opened when it is first asked for. */
export interface Session {
  env: Env
  language: Language
  clock: Clock
  /** What happens meanwhile, a line on standard error; nothing is said with `--json`. */
  tell(line: string): void
  /** The database, brought to this program's state as the server does it. Throws `StartRefused`. */
  db(): Promise<Db>
  /** The database as it is. Throws `StartRefused`. */
  openedDb(): Promise<Db>
}

/** Ends a command with one sentence: `exitCode` 1 for a refusal, 2 for a command that is typed wrong. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
  readonly code: string
  readonly said: Sentence
  readonly exitCode: 1 | 2

  constructor(code: string, said: Sentence, exitCode: 1 | 2) {
    super(said.en)
    this.code = code
    this.said = said
    this.exitCode = exitCode
  }
}

export function refuse(code: string, said: Sentence): never {
  throw new CommandRefused(code, said, 1)
}

export function misused(said: Sentence): never {
  throw new CommandRefused('USAGE', said, 2)
}
