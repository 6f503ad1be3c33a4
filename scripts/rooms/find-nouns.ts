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
  const found = sources
    .filter(({ file }) => file.startsWith('src/platform/'))
    .flatMap((source) => nounsOf(source, new Set(nouns)))
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

function nounsOf({ file, code }: SourceFile, nouns: ReadonlySet<string>): FoundNoun[] {
  return code.split('\n').flatMap((text, index) => {
    const words = new Set(wordsOf(text).flatMap((word) => [word, ...singularsOf(word)]))
    return [...words]
      .filter((word) => nouns.has(word))
      .map((noun) => ({ file, line: index + 1, noun, text: text.trim() }))
  })
}

/** The words of a line in small letters, those within names apart: `openKnowledgeIndex` has three. */
const wordsOf = (line: string): string[] =>
  line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]/)
    .filter(Boolean)

const singularsOf = (word: string): string[] => [
  ...(word.endsWith('s') ? [word.slice(0, -1)] : []),
  ...(word.endsWith('es') ? [word.slice(0, -2)] : []),
  ...(word.endsWith('ies') ? [`${word.slice(0, -3)}y`] : []),
]
