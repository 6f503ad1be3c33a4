/** The refusal of a provider that has none of the dialects of a kind. */
import type { Sentence } from '#platform/config'
import type { Dialect } from '../provider-settings.ts'

/** Completes `the provider x, which …`: `lacks` states what such a provider cannot do. */
export const missingDialectOf = (dialects: readonly Dialect[], lacks: Sentence): Sentence => ({
  en: `${lacks.en}: add ${anyOf(dialects)} to its dialects`,
  fa: `${lacks.fa}: ${dialects.join(' یا ')} را به dialects آن بیفزایید`,
})

const anyOf = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ')
