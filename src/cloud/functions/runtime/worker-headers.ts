/** Headers between this server and the wrapper within a worker; each is removed from what comes from outside. */

/** The id of the call, and the protocol (`https` or `http`) of the address that was called. The broker uses both, too. */
export { invocationHeader, protocolHeader } from '../broker/headers.ts'

export const ownPrefix = 'x-kherad-'
/** The id of the request, for lines of logs. */
export const requestIdHeader = 'x-kherad-request'
/** Marks a request that only asks whether the function loads. */
export const tryHeader = 'x-kherad-try'
/** The outcome of the call; on every answer that the wrapper has seen. */
export const outcomeHeader = 'x-kherad-outcome'
