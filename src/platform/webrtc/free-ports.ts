/** Which ports of the settings a process could take now. */
import { reachableAt } from './addresses.ts'
import type { WebRtcConfig } from './settings.ts'
import { Sockets } from './sockets.ts'

export interface FreePorts {
  /** How many were tried: no more than the range has, and than were asked for. */
  tried: number
  free: number
  /** Where callers would be told to send, of the first that is free. */
  addresses: string[]
}

/**
 * Opens each port of the range as a process does, and closes it again, at most `most` of them. Of `[0, 0]` one that the system chooses.
 * Throws what the system says where an address is not this machine's (`EADDRNOTAVAIL`).
 */
export async function findFreePorts(
  { listen, tcp, ports: [first, last], publicIps }: WebRtcConfig,
  most: number,
): Promise<FreePorts> {
  const found: FreePorts = { tried: Math.min(most, last - first + 1), free: 0, addresses: [] }
  for (let port = first; port < first + found.tried; port++) {
    const addresses = await openAt(port, { listen, tcp })
    if (!addresses) continue
    found.free++
    found.addresses = [...new Set(addresses.flatMap((address) => reachableAt(address, publicIps)))]
  }
  return found
}

/** Addresses of this machine at which the port opened; undefined where it is taken, or this user may not. */
async function openAt(
  port: number,
  where: Pick<WebRtcConfig, 'listen' | 'tcp'>,
): Promise<string[] | undefined> {
  try {
    const nothing = () => undefined
    await using sockets = await Sockets.open(port, {
      ...where,
      received: nothing,
      gone: nothing,
      malformed: nothing,
    })
    return [...sockets.addresses]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' || code === 'EACCES') return undefined
    throw error
  }
}
