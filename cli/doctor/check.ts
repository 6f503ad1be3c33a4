import { StartRefused } from '#platform/errors'
import { type BilingualText, sentenceOf } from '../command.ts'
import { doctorPhrases } from './phrases.ts'

/** The result of one check. `message` says how to fix it where it is broken. */
export interface DoctorCheck {
  name: string
  /** `warning`: works, but not for long; `skipped`: could not be checked, because something that it depends on is broken, or is not in use. */
  state: 'ok' | 'warning' | 'broken' | 'skipped'
  message: BilingualText
}

export const ok = (name: string, message: BilingualText): DoctorCheck => ({ name, state: 'ok', message })
export const warned = (name: string, message: BilingualText): DoctorCheck => ({
  name,
  state: 'warning',
  message,
})
export const broken = (name: string, message: BilingualText): DoctorCheck => ({
  name,
  state: 'broken',
  message,
})
export const skipped = (name: string, message: BilingualText): DoctorCheck => ({
  name,
  state: 'skipped',
  message,
})

/** A check that throws counts as broken, with the message of the error; the other checks run all the same. */
export async function runCheck(
  name: string,
  look: () => DoctorCheck | Promise<DoctorCheck>,
): Promise<DoctorCheck> {
  try {
    return await look()
  } catch (error) {
    return broken(name, reasonOf(error))
  }
}

export function reasonOf(error: unknown): BilingualText {
  if (error instanceof StartRefused) return sentenceOf(error)
  return doctorPhrases.failed(error instanceof Error ? error.message : String(error))
}
