/** What a command is, its arguments and its result. */
import type { Clock } from '#platform/clock'
import type { Env } from '#platform/config'
import type { Db } from '#platform/db'
import type { Language, StartRefused } from '#platform/errors'

/** One sentence in both languages. */
export interface Sentence {
  fa: string
  en: string
}

/** The reason that a start was refused, in both languages. */
export const sentenceOf = (refused: StartRefused): Sentence => ({
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
  /** Options without a value; they stand in `ParsedArguments.flags`. */
  flags?: readonly string[]
  /** True if at least one of the options has to be given. */
  changes?: true
  run(session: Session, given: ParsedArguments): Promise<Outcome>
}

/** The typed arguments: known and complete, but not yet parsed to values. */
export interface ParsedArguments {
  words: readonly string[]
  options: Readonly<Record<string, string>>
  flags: readonly string[]
}

/** The result of a command in both forms; exactly one of them is printed. */
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

/** What a command works with; the database is opened on first use. */
export interface Session {
  env: Env
  language: Language
  clock: Clock
  /** Writes a line of progress to standard error; nothing with `--json`. */
  notify(line: string): void
  /** The database, brought to this program's state as the server does it. Throws `StartRefused`. */
  db(): Promise<Db>
  /** The database as it is. Throws `StartRefused`. */
  openedDb(): Promise<Db>
}

/** Ends a command with one sentence: `exitCode` 1 for a refusal, 2 for a command that is typed wrong. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
  readonly code: string
  readonly sentence: Sentence
  readonly exitCode: 1 | 2

  constructor(code: string, sentence: Sentence, exitCode: 1 | 2) {
    super(sentence.en)
    this.code = code
    this.sentence = sentence
    this.exitCode = exitCode
  }
}

export function refuse(code: string, sentence: Sentence): never {
  throw new CommandRefused(code, sentence, 1)
}

export function misused(sentence: Sentence): never {
  throw new CommandRefused('USAGE', sentence, 2)
}
