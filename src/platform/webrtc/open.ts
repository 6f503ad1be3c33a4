import type { WebRtcOptions } from './endpoint.ts'
import type { WebRtc } from './peer.ts'
import type { WebRtcConfig } from './settings.ts'

/**
 * Opens the sockets of this process, on the first port of the range that is free.
 * Throws what the system says where none is (`EADDRINUSE`), or an address is not this machine's (`EADDRNOTAVAIL`).
 */
export async function openWebRtc(config: WebRtcConfig, options?: WebRtcOptions): Promise<WebRtc> {
  // Loaded by the first who needs it: a start without calls does not wait for it.
  const { openEndpoint } = await import('./endpoint.ts')
  return openEndpoint(config, options)
}
