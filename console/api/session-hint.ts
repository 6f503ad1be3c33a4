/**
 * Whether somebody has signed in in this browser: a hint, so that a stranger's page asks the API nothing that it would refuse. Only the cookie counts,
 * which no script can read.
 */
const storedAs = 'kherad.signed-in'

export const mayBeSignedIn = (): boolean => localStorage.getItem(storedAs) !== null

export const noteSignedIn = (): void => localStorage.setItem(storedAs, '1')

export const noteSignedOut = (): void => localStorage.removeItem(storedAs)
