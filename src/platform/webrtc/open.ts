import type { WebRtcOptions } from './endpoint.ts'
import type { WebRtc } from './peer.ts'
import type { WebRtcConfig } from './settings.ts'

/**
 * Opens the sockets of this process, on the first free port of the range. Throws the system's error if none is free (`EADDRINUSE`), or if an address
 * is not this machine's (`EADDRNOTAVAIL`).
 */
export async function openWebRtc(config: WebRtcConfig, options?: WebRtcOptions): Promise<WebRtc> {
  // The module is loaded on first use, so that a start without calls does not wait for it.
  const { openEndpoint } = await import('./endpoint.ts')
  return openEndpoint(config, options)
}
