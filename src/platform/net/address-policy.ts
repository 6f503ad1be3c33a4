/** Which addresses outgoing requests may reach, whoever asks for them; the refused ranges are in routable.ts. */
import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { FetchRefused } from './refused.ts'
import { containsAddress, isGloballyRoutable, isMetadata, rangesOf } from './routable.ts'

/** Resolves a name to all its addresses. */
export type Lookup = (host: string) => Promise<LookupAddress[]>

const systemLookup: Lookup = (host) => dns.lookup(host, { all: true, order: 'verbatim' })

const systemAddresses = () =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))

/** Decides which addresses may be connected to, and resolves hosts. */
export interface AddressPolicy {
  admits(address: string): boolean
  /** Resolves the host to all its addresses, once. Throws `FetchRefused` if there is none, or if one is not allowed. */
  resolve(host: string): Promise<LookupAddress[]>
}

/**
 * Admits the public internet and the allowed networks. The public addresses of this very machine are not admitted unless allowed: a request to them
 * would come from inside, behind the firewall. Metadata services are never admitted. Throws for a text that is not a CIDR.
 */
export function openAddressPolicy(
  allowedCidrs: readonly string[],
  lookup: Lookup = systemLookup,
  ownAddresses: () => readonly string[] = systemAddresses,
): AddressPolicy {
  // The lists are separate, since a range of one family would match mapped addresses of the other.
  const allowed4 = rangesOf(allowedCidrs.filter((cidr) => !cidr.includes(':')))
  const allowed6 = rangesOf(allowedCidrs.filter((cidr) => cidr.includes(':')))
  const allows = (address: string) => containsAddress(isIP(address) === 4 ? allowed4 : allowed6, address)
  const admits = (address: string) =>
    !isMetadata(address) &&
    (allows(address) || (isGloballyRoutable(address) && !ownAddresses().includes(address)))
  return {
    admits,
    async resolve(host) {
      const family = isIP(host)
      const addresses = family === 0 ? await lookUp(lookup, host) : [{ address: host, family }]
      // One address that is not allowed rules out the name: it could be the one chosen next time.
      if (!addresses.every(({ address }) => admits(address)))
        throw new FetchRefused('address_not_public', host)
      return addresses
    },
  }
}

async function lookUp(lookup: Lookup, host: string): Promise<LookupAddress[]> {
  const addresses = await lookup(host).catch((cause: unknown) => {
    throw new FetchRefused('dns', host, cause)
  })
  if (addresses.length === 0) throw new FetchRefused('dns', host)
  return addresses
}
