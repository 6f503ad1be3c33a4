/**
 * Whether somebody has signed in in this browser: a hint, so that a stranger's page asks the API nothing that it would refuse. Only the cookie counts,
 * which no script can read.
 */
const storedAs = 'kherad.signed-in'

export const mayBeSignedIn = (): boolean => localStorage.getItem(storedAs) !== null

const leavingAs = 'kherad.leaving'

/** Nothing is known yet of whoever has signed in. */
export function noteSignedIn(): void {
  localStorage.setItem(storedAs, '1')
  noteLeaving(true)
}

export const noteSignedOut = (): void => localStorage.removeItem(storedAs)

/** Whether the person may be one who is to be deleted, and who may read nothing but that. */
export const mayBeLeaving = (): boolean => localStorage.getItem(leavingAs) !== null

export function noteLeaving(mayBe: boolean): void {
  if (mayBe) localStorage.setItem(leavingAs, '1')
  else localStorage.removeItem(leavingAs)
}
