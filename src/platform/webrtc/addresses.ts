/** The addresses at which clients are told to reach this process. */
import { isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** The addresses that reach `listen`, in its family: the public ones of the settings, or those of the machine. */
export function reachableAt(listen: string, publicIps: readonly string[]): string[] {
  const isOfFamily = isIPv4(listen) ? isIPv4 : isIPv6
  const named = publicIps.filter(isOfFamily)
  if (named.length > 0) return named
  if (listen !== '0.0.0.0' && listen !== '::') return [listen]
  const all = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address }) => isOfFamily(address) && !address.toLowerCase().startsWith('fe80:'))
  const outside = all.filter(({ internal }) => !internal)
  // A machine without a network is still reachable from itself.
  return (outside.length > 0 ? outside : all).map(({ address }) => address).slice(0, 8)
}
