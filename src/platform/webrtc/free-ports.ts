/** Finds the ports of the settings that a process could use now. */
import { scheduler } from '#platform/scheduler'
import { reachableAt } from './addresses.ts'
import type { WebRtcConfig } from './settings.ts'
import { Sockets } from './sockets.ts'

export interface FreePorts {
  /** How many ports were tried: at most as many as the range has, and as were requested. */
  tried: number
  free: number
  /** The addresses to which callers would send, for the first free port. */
  addresses: string[]
}

/**
 * Opens each port of the range as a process does, and closes it again; at most `maxPorts` ports. For `[0, 0]` it opens one that the system chooses.
 * Throws the system's error if an address is not this machine's (`EADDRNOTAVAIL`).
 */
export async function findFreePorts(
  { listen, tcp, ports: range, publicIps }: WebRtcConfig,
  maxPorts: number,
): Promise<FreePorts> {
  const isAny = range[0] === 0
  const ports = isAny ? portsToTry(range) : portsToTry(range).slice(0, maxPorts)
  const found: FreePorts = { tried: isAny ? 1 : ports.length, free: 0, addresses: [] }
  for (const port of ports) {
    const addresses = await openAt(port, { listen, tcp })
    if (!addresses) continue
    found.free++
    found.addresses = [...new Set(addresses.flatMap((address) => reachableAt(address, publicIps)))]
    if (isAny) break
  }
  return found
}

/** The attempts to find a port that is free for UDP and TCP in both families, if the system chooses it. */
const triesOfAnyPort = 10

/** The ports of a range, in order. For `[0, 0]` several zeros: a port that the system chooses for UDP may be taken for TCP. */
export const portsToTry = ([first, last]: WebRtcConfig['ports']): number[] =>
  first === 0
    ? Array<number>(triesOfAnyPort).fill(0)
    : Array.from({ length: last - first + 1 }, (_, i) => first + i)

/** The addresses of this machine at which the port could be opened; undefined if it is taken, or this user may not open it. */
async function openAt(
  port: number,
  where: Pick<WebRtcConfig, 'listen' | 'tcp'>,
): Promise<string[] | undefined> {
  try {
    const nothing = () => undefined
    await using sockets = await Sockets.open(port, {
      ...where,
      received: nothing,
      framed: nothing,
      flowOf: () => scheduler.flow(),
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
