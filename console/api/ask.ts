/**
 * What calls ask of the person before they are made again: to sign in where the session has ended, or to give a factor where one must have been given
 * lately. All calls that need the same wait for one answer. The shell shows the dialogs; on pages without it nobody is asked.
 */
import { ApiError } from './api-error.ts'

export type Need = 'sign_in' | 'step_up'

/**
 * The person has closed the dialog that asked for a factor, so the call was not made. It is no failure, and pages show nothing of it: `useAction` drops
 * it, and whoever catches the errors of `call` does so too.
 */
export class StepUpStopped extends Error {
  override name = 'StepUpStopped'
}

interface Waiting {
  promise: Promise<boolean>
  resolve(isGiven: boolean): void
}

/** Routes that serve programs too ask for a key where the session has ended: pages never send one. */
const needs: Record<string, Need> = {
  NOT_SIGNED_IN: 'sign_in',
  INVALID_API_KEY: 'sign_in',
  STEP_UP_REQUIRED: 'step_up',
}
const waiting = new Map<Need, Waiting>()
const listeners = new Set<() => void>()
let shown: ReadonlySet<Need> = new Set()

/** What the person must do before the refused call can succeed; undefined for other errors, and where no shell would ask. */
export const needOf = (error: unknown): Need | undefined =>
  error instanceof ApiError && listeners.size > 0 ? needs[error.code] : undefined

/** Makes a call, and once more after each thing that it asks of the person. Throws as `call` does. */
export async function whenAnswered<T>(act: () => Promise<T>): Promise<T> {
  const asked = new Set<Need>()
  for (;;)
    try {
      return await act()
    } catch (error) {
      const need = needOf(error)
      if (need === undefined || asked.has(need)) throw error
      asked.add(need)
      if (need === 'step_up') await stepUp()
      else if (!(await ask(need))) throw error
    }
}

/** Asks the person; resolves to whether they have done it. */
export function ask(need: Need): Promise<boolean> {
  const known = waiting.get(need)
  if (known) return known.promise
  const made = Promise.withResolvers<boolean>()
  waiting.set(need, made)
  publish()
  return made.promise
}

/** Ends the dialog: the person has done what was asked, or has closed it. */
export function answer(need: Need, isGiven: boolean): void {
  const ended = waiting.get(need)
  waiting.delete(need)
  publish()
  ended?.resolve(isGiven)
}

/** Asks for a factor whether or not one was given lately. Throws StepUpStopped where the person closes the dialog. */
export async function stepUp(): Promise<void> {
  if (!(await ask('step_up'))) throw new StepUpStopped()
}

function publish(): void {
  shown = new Set(waiting.keys())
  for (const listener of listeners) listener()
}

/** What the person is asked for at this moment. */
export const currentNeeds = (): ReadonlySet<Need> => shown

export function subscribeNeeds(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
