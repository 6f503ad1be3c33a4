/** The types of a command, its arguments and its result. */
import type { Clock } from '#platform/clock'
import type { Env } from '#platform/config'
import type { Db } from '#platform/db'
import type { Language, StartRefused } from '#platform/errors'

/** One sentence in both languages. */
export interface BilingualText {
  fa: string
  en: string
}

export const sentence = (fa: string, en: string): BilingualText => ({ fa, en })

/** The reason that a start was refused, in both languages. */
export const sentenceOf = (refused: StartRefused): BilingualText => ({
  en: refused.message,
  fa: refused.fa ?? refused.message,
})

export interface Command {
  /** `account create`, or the noun alone where it has no verbs. */
  name: string
  about: BilingualText
  /** The words after its name, all of which are needed: `['ACCOUNT', 'CREDITS']`. */
  takes: readonly string[]
  /** Words that may follow those of `takes`. */
  mayTake?: readonly string[]
  /** Options with a value, by name; those of `needs` must be given. */
  options: readonly string[]
  needs: readonly string[]
  /** Options without a value; they stand in `ParsedArguments.flags`. */
  flags?: readonly string[]
  /** The options that may be given more than once. */
  repeatable?: readonly string[]
  /** The meaning of its options, where it differs from that in other commands. */
  help?: OptionHelp
  /** True if at least one of the options has to be given. */
  changes?: true
  run(session: Session, given: ParsedArguments): Promise<CommandResult>
}

/** The value and the purpose of each option. */
export type OptionHelp = Readonly<Record<string, { value: string; about: BilingualText }>>

/** The typed arguments: known and complete, but not yet parsed to values. */
export interface ParsedArguments {
  words: readonly string[]
  options: Readonly<Record<string, string>>
  flags: readonly string[]
  /** All values of each repeatable option that was given. */
  lists: Readonly<Record<string, readonly string[]>>
}

/** The result of a command in both forms; exactly one of them is printed. */
export interface CommandResult {
  /** The result for `--json`: amounts in micro-credits are strings, times ISO 8601. */
  json: unknown
  /** The result for people. */
  text: string
  /** Used in place of both for an answer too long to be held: it is written as it comes, while the session is open. */
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
  /** Shows a line that the next one replaces, on a terminal only; without a line it is taken away. */
  status(line?: string): void
  /** Aborts when the command is stopped by a signal. */
  stopping: AbortSignal
  /** Sets the error that is shown if the command is stopped from here on. */
  whenStopped(refused: CommandRefused): void
  /** The database, migrated to this program's state as a server does it. Throws `StartRefused`. */
  db(): Promise<Db>
  /** The database as it is, without migrations. Throws `StartRefused`. */
  openedDb(): Promise<Db>
}

/** Ends a command with one sentence: `exitCode` 1 for a refusal, 2 for a command that is typed wrong. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
  readonly code: string
  readonly sentence: BilingualText
  readonly exitCode: 1 | 2
  /** Further members of the error for `--json`; where a `request_id` is among them, a server has refused. */
  readonly more: Readonly<Record<string, string>>

  constructor(
    code: string,
    sentence: BilingualText,
    exitCode: 1 | 2,
    more: Readonly<Record<string, string>> = {},
  ) {
    super(sentence.en)
    this.code = code
    this.sentence = sentence
    this.exitCode = exitCode
    this.more = more
  }
}

export function refuse(code: string, sentence: BilingualText): never {
  throw new CommandRefused(code, sentence, 1)
}

export function refuseUsage(sentence: BilingualText): never {
  throw new CommandRefused('USAGE', sentence, 2)
}
