import { declarationOf, type Language } from '#platform/errors'

/**
 * The sentence of a failure with names in place of its details (`The model ‹model› does not exist`), so that the
 * reference needs no list of sentences of its own.
 */
export function sentenceOf(code: string, language: Language): string {
  let numbers = 0
  const detail = new Proxy(
    {},
    { get: (_target, name) => placeholder(String(name), () => 12_500_000 / ++numbers) },
  )
  return declarationOf(code)[language](detail)
}

/** Stands for a detail of any type: prints as its name, as list and as text, and counts as a number of its own. */
function placeholder(name: string, asNumber: () => number): object {
  const shown = (): string => `‹${name}›`
  return {
    length: 1,
    en: shown(),
    fa: shown(),
    join: shown,
    toString: shown,
    toLocaleString: shown,
    toFixed: shown,
    [Symbol.toPrimitive]: (hint: string) => (hint === 'number' ? asNumber() : shown()),
  }
}
