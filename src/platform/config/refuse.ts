import { StartRefused } from '#platform/errors'
import type { Sentence } from './phrases.ts'

/** Stops the start with one sentence in both languages. */
export function refuseConfig(sentence: Sentence): never {
  throw new StartRefused(sentence.en, sentence.fa)
}
