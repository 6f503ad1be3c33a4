import { StartRefused } from '#platform/errors'
import { type Sentence, saidBy } from '../command.ts'
import { doctorPhrases } from './phrases.ts'

/** One thing the doctor looked at. `said` holds the mend where it is broken. */
export interface Check {
  name: string
  /** `skipped`: it could not be looked at, because something it stands on is broken, or is not in use. */
  state: 'ok' | 'broken' | 'skipped'
  said: Sentence
}

export const ok = (name: string, said: Sentence): Check => ({ name, state: 'ok', said })
export const broken = (name: string, said: Sentence): Check => ({ name, state: 'broken', said })
export const skipped = (name: string, said: Sentence): Check => ({ name, state: 'skipped', said })

/** A check that throws is broken by what it says; it never keeps the others from running. */
export async function examine(name: string, look: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await look()
  } catch (error) {
    return broken(name, reasonOf(error))
  }
}

export function reasonOf(error: unknown): Sentence {
  if (error instanceof StartRefused) return saidBy(error)
  return doctorPhrases.failed(error instanceof Error ? error.message : String(error))
}
