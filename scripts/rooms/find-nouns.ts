import type { NounException } from './nouns.ts'
import type { SourceFile } from './source.ts'

interface FoundNoun {
  file: string
  line: number
  noun: string
  text: string
}

/** Product nouns in the files of `src/platform`, a sentence for each, and exceptions that excuse nothing. */
export function nounOffences(
  sources: readonly SourceFile[],
  nouns: readonly string[],
  exceptions: readonly NounException[],
): string[] {
  const nounOfWords = new Map(nouns.map((noun) => [phrasesOf(noun).flat().join(' '), noun]))
  const found = sources
    .filter(({ file }) => file.startsWith('src/platform/'))
    .flatMap((source) => nounsOf(source, nounOfWords))
  const excuses = (exception: NounException, one: FoundNoun) =>
    exception.noun === one.noun &&
    (exception.place.endsWith('/') ? one.file.startsWith(exception.place) : one.file === exception.place)
  const offences = found.filter((one) => !exceptions.some((exception) => excuses(exception, one)))
  const idle = exceptions.filter((exception) => !found.some((one) => excuses(exception, one)))
  return [
    ...offences.map(
      ({ file, line, noun, text }) =>
        `${file}:${line} says "${noun}", a noun of the product, which the platform does not know: ${text}`,
    ),
    ...idle.map(
      ({ place, noun }) =>
        `scripts/rooms/nouns.ts excuses "${noun}" in ${place}, where nobody says it: delete the exception.`,
    ),
  ]
}

/** `nounOfWords` has the nouns by their words: `cloudFunction` by `cloud function`. */
function nounsOf({ file, code }: SourceFile, nounOfWords: ReadonlyMap<string, string>): FoundNoun[] {
  return code.split('\n').flatMap((text, index) => {
    const candidates = new Set(phrasesOf(text).flatMap(candidatesOf))
    return [...candidates]
      .map((candidate) => nounOfWords.get(candidate))
      .filter((noun) => noun !== undefined)
      .map((noun) => ({ file, line: index + 1, noun, text: text.trim() }))
  })
}

/**
 * The phrases of a line, each its words in small letters, those within names apart: `openKnowledgeIndex` has three. Spaces, `_` and `-` part words,
 * all other signs and digits part phrases.
 */
const phrasesOf = (line: string): string[][] =>
  line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\s_-]+/)
    .map((phrase) => phrase.split(/[\s_-]+/).filter(Boolean))

/** What may be a noun in a phrase: each word, and each two consecutive words, which are a compound. */
const candidatesOf = (words: readonly string[]): string[] =>
  words.flatMap((word, at) => {
    const before = words[at - 1]
    const forms = [word, ...singularsOf(word)]
    return before === undefined ? forms : [...forms, ...forms.map((form) => `${before} ${form}`)]
  })

const singularsOf = (word: string): string[] => [
  ...(word.endsWith('s') ? [word.slice(0, -1)] : []),
  ...(word.endsWith('es') ? [word.slice(0, -2)] : []),
  ...(word.endsWith('ies') ? [`${word.slice(0, -3)}y`] : []),
]
