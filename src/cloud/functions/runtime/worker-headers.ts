/** Headers between this server and the wrapper within a worker; each is removed from what comes from outside. */

/** `https` or `http`, that of the address that was called; and which call it is. Both are the broker's, too. */
export { invocationHeader, protocolHeader } from '../broker/headers.ts'

export const ownPrefix = 'x-kherad-'
/** The id of the request, for lines of logs. */
export const requestIdHeader = 'x-kherad-request'
/** Only asks whether the function loads. */
export const tryHeader = 'x-kherad-try'
/** What became of the call; on every answer that the wrapper has seen. */
export const outcomeHeader = 'x-kherad-outcome'
