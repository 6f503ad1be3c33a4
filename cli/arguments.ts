import { parseArgs } from 'node:util'
import { type Command, type ParsedArguments, refuseUsage } from './command.ts'
import { usageOf } from './help.ts'
import { minus } from './numerals.ts'
import { phrases } from './phrases.ts'

export type ParsedCommandLine =
  | { kind: 'run'; command: Command; given: ParsedArguments }
  /** `about` is empty for the help of everything. */
  | { kind: 'help'; about: readonly Command[] }
  | { kind: 'version' }

const flags = ['json', 'verbose', 'help', 'version']

/** Reads the words after `kherad`. Throws `CommandRefused` with exit code 2 and one sentence for words that are not understood. */
export function readArguments(argv: readonly string[], commands: readonly Command[]): ParsedCommandLine {
  const valued = [...new Set(commands.flatMap(({ options }) => options))]
  const plain = [...flags, ...commands.flatMap(({ flags: own = [] }) => own)]
  const { tokens, positionals } = parseArgs({
    // A negative number would look like an option.
    args: argv.map((word) => (/^-[\d۰-۹٠-٩.٫]/.test(word) ? minus + word.slice(1) : word)),
    options: {
      ...Object.fromEntries(valued.map((name) => [name, { type: 'string' as const }])),
      ...Object.fromEntries(plain.map((name) => [name, { type: 'boolean' as const }])),
      file: { type: 'string', short: 'f' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const typed = tokens.filter((token) => token.kind === 'option')
  const has = (flag: string) => typed.some(({ name }) => name === flag)
  if (has('version')) return { kind: 'version' }
  const isHelp = has('help') || positionals.length === 0 || positionals[0] === 'help'
  const path = positionals[0] === 'help' ? positionals.slice(1) : positionals
  const matching = path.length === 0 ? [] : findCommands(path, commands)
  if (isHelp) return { kind: 'help', about: matching }

  const command = matching.find(({ name }) => isPrefix(name, path))
  if (!command)
    refuseUsage(
      phrases.verbMissing(
        path[0] ?? '',
        matching.map(({ name }) => name.split(' ')[1] ?? ''),
      ),
    )
  return { kind: 'run', command, given: parseArguments(command, path, typed) }
}

const isPrefix = (name: string, path: readonly string[]) =>
  name.split(' ').every((word, at) => path[at] === word)

/** The command that these words name, or all commands of their noun when there is no verb yet. */
function findCommands(path: readonly string[], commands: readonly Command[]): Command[] {
  const exact = commands.filter(({ name }) => isPrefix(name, path))
  if (exact.length > 0) return exact
  const noun = commands.filter(({ name }) => name.split(' ')[0] === path[0])
  if (noun.length === 0 || path.length > 1) refuseUsage(phrases.unknownCommand(path.slice(0, 2).join(' ')))
  return noun
}

function parseArguments(
  command: Command,
  path: readonly string[],
  typed: readonly {
    name: string
    rawName: string
    value?: string | undefined
    inlineValue?: boolean | undefined
  }[],
): ParsedArguments {
  const options: Record<string, string> = {}
  const lists: Record<string, string[]> = {}
  const own: string[] = []
  for (const { name, rawName, value, inlineValue } of typed) {
    if (flags.includes(name) && value !== undefined) refuseUsage(phrases.valueUnwanted(rawName))
    if (flags.includes(name)) continue
    if (command.flags?.includes(name)) {
      if (value !== undefined) refuseUsage(phrases.valueUnwanted(rawName))
      own.push(name)
      continue
    }
    if (!command.options.includes(name)) refuseUsage(phrases.unknownOption(rawName, command.name))
    if (value === undefined || (value.startsWith('-') && value !== '-' && !inlineValue))
      refuseUsage(phrases.valueMissing(rawName))
    options[name] = value
    if (command.repeatable?.includes(name)) lists[name] = [...(lists[name] ?? []), value]
  }
  const given = path.slice(command.name.split(' ').length)
  const missing =
    command.takes[given.length] ??
    command.needs.filter((name) => options[name] === undefined).map((name) => `--${name}`)[0]
  if (missing !== undefined) refuseUsage(phrases.wordMissing(missing, usageOf(command)))
  const extra = given[command.takes.length + (command.mayTake?.length ?? 0)]
  if (extra !== undefined) refuseUsage(phrases.wordUnwanted(extra, usageOf(command)))
  if (command.changes && Object.keys(options).length === 0)
    refuseUsage(phrases.nothingToSet(usageOf(command)))
  return { words: given, options, flags: own, lists }
}
