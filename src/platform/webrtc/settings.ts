/** Where WebRTC connections arrive: ports, addresses, and the addresses that clients are told. */
import { isIP } from 'node:net'
import { Type } from 'typebox'
import { type ConfigNode, fileSection, integerIn, readingRules } from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    webrtc: WebRtcConfig
  }
}

export interface WebRtcConfig {
  /** The addresses that clients are told instead of this machine's; if empty, this machine's. At most one of each family is useful. */
  publicIps: string[]
  /** The first and the last port; each process uses the first port that is free for UDP and TCP. 0 lets the system choose. */
  ports: readonly [number, number]
  /** Whether TCP is served, for clients whose network blocks UDP. */
  tcp: boolean
  /** The addresses to listen at; `0.0.0.0` and `::` stand for all of a family. */
  listen: string[]
}

const address = {
  en: 'an address such as 203.0.113.7 or 2001:db8::7',
  fa: 'یک نشانی مانند 203.0.113.7 یا 2001:db8::7',
}
const publicAddress = {
  en: 'an address that clients can reach, such as 203.0.113.7 or 2001:db8::7',
  fa: 'نشانی‌ای که کاربران به آن می‌رسند، مانند 203.0.113.7 یا 2001:db8::7',
}
const range = {
  en: 'the first and the last port, such as [40000, 40015]',
  fa: 'نخستین و واپسین درگاه، مانند [40000, 40015]',
}

const wildcards = ['0.0.0.0', '::']

function checkAddress(text: string, node: ConfigNode): void {
  if (isIP(text) === 0) node.refuseValue(address)
}

function checkPublic(text: string, node: ConfigNode): void {
  if (isIP(text) === 0 || wildcards.includes(text)) node.refuseValue(publicAddress)
}

function checkRange(ports: number[], node: ConfigNode): void {
  const [first = 0, last = 0] = ports
  if (ports.length !== 2 || first > last || (first === 0) !== (last === 0)) node.refuseValue(range)
}

const WebRtc = Type.Object(
  {
    public_ip: Type.Array(
      Type.String({ maxLength: 45, ...readingRules({ expected: publicAddress, check: checkPublic }) }),
      {
        default: [],
        maxItems: 8,
        description: 'What clients are told in place of the addresses of this machine, as behind a NAT.',
      },
    ),
    ports: Type.Array(integerIn(0, 65_535), {
      default: [40_000, 40_015],
      description: 'The first and the last port: each process takes one, UDP and TCP.',
      ...readingRules({ expected: range, check: checkRange }),
    }),
    tcp: Type.Boolean({
      default: true,
      description: 'For clients whose network lets no UDP through.',
    }),
    listen: Type.Array(
      Type.String({ maxLength: 45, ...readingRules({ expected: address, check: checkAddress }) }),
      {
        default: wildcards,
        minItems: 1,
        maxItems: 8,
        description: 'Addresses of this machine; 0.0.0.0 and :: stand for all of a family.',
      },
    ),
  },
  { default: {} },
)

export const webrtc = fileSection({
  name: 'webrtc',
  schema: WebRtc,
  read: ({ public_ip, ports, tcp, listen }) => ({
    publicIps: public_ip,
    ports: [ports[0]!, ports[1]!],
    tcp,
    listen,
  }),
})
