import { StartRefused } from '#platform/errors'
import type { Sentence } from './words.ts'

/** Stops the start with one sentence in both languages. */
export function refuse(sentence: Sentence, cause?: unknown): never {
  const refused = new StartRefused(sentence.en, sentence.fa)
  if (cause !== undefined) refused.cause = cause
  throw refused
}
