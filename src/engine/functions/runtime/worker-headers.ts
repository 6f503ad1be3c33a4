/** Headers between this server and the wrapper within a worker; each is removed from what comes from outside. */

export const ownPrefix = 'x-kherad-'
/** `https` or `http`: that of the address that was called. */
export const protocolHeader = 'x-kherad-protocol'
/** The id of the request, for lines of logs. */
export const requestIdHeader = 'x-kherad-request'
/** Which call it is, for the broker. */
export const invocationHeader = 'x-kherad-invocation'
/** Only asks whether the function loads. */
export const tryHeader = 'x-kherad-try'
/** What became of the call; on every answer that the wrapper has seen. */
export const outcomeHeader = 'x-kherad-outcome'
