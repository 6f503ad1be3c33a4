import { StartRefused } from '#platform/errors'
import { type Sentence, sentenceOf } from '../command.ts'
import { doctorPhrases } from './phrases.ts'

/** The result of one check. `message` says how to fix it where it is broken. */
export interface Check {
  name: string
  /** `warning`: works, but not for long; `skipped`: could not be checked, because something that it depends on is broken, or is not in use. */
  state: 'ok' | 'warning' | 'broken' | 'skipped'
  message: Sentence
}

export const ok = (name: string, message: Sentence): Check => ({ name, state: 'ok', message })
export const warned = (name: string, message: Sentence): Check => ({ name, state: 'warning', message })
export const broken = (name: string, message: Sentence): Check => ({ name, state: 'broken', message })
export const skipped = (name: string, message: Sentence): Check => ({ name, state: 'skipped', message })

/** A check that throws counts as broken, with the message of the error; the other checks run all the same. */
export async function examine(name: string, look: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await look()
  } catch (error) {
    return broken(name, reasonOf(error))
  }
}

export function reasonOf(error: unknown): Sentence {
  if (error instanceof StartRefused) return sentenceOf(error)
  return doctorPhrases.failed(error instanceof Error ? error.message : String(error))
}
