/** The host that a request names, from its `Host` header or its target. */
import { isIPv6 } from 'node:net'

/** The names of hosts: RFC 1035 allows 253 characters. Underscores occur in names of internal machines, but in no address of the web. */
const names =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/

/**
 * The host of `name`, `name:port` or `[IPv6]:port` in small letters, without port and the dot of the root. Undefined for everything else: userinfo,
 * two hosts, percent signs, letters outside ASCII (names are sent in Punycode).
 */
export function hostName(text: string): string | undefined {
  const [, host = '', , port] = /^(\[[^\]]*\]|[^:[\]]*)(:(\d{1,5}))?$/.exec(text) ?? []
  if (port !== undefined && Number(port) > 65_535) return undefined
  if (host.startsWith('['))
    return isIPv6(host.slice(1, -1)) && !host.includes('%') ? host.toLowerCase() : undefined
  const plain = host.toLowerCase().replace(/\.$/, '')
  // A number beyond the range of IPv4 addresses is not a host of any URL.
  return names.test(plain) && URL.canParse(`http://${plain}`) ? plain : undefined
}
