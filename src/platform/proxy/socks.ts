/** SOCKS 5 (RFC 1928) with user and password (RFC 1929). Names are sent to the proxy, which resolves them. */
import { isIP, type Socket } from 'node:net'
import { codeOf } from './connect-to-proxy.ts'
import { ProxyFailed } from './failed.ts'
import type { ProxyConfig } from './settings.ts'
import type { Target } from './tunnel.ts'

const version = 5
const withoutLogin = 0
const withPassword = 2

/** The answers to a request, from the RFC; those that lead to `forbidden` do not pass by themselves. */
const answers: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'TTL expired',
  7: 'command not supported',
  8: 'address type not supported',
}
const notAllowed = 2

/** Logs in to the proxy and requests a connection to the target. */
export async function connectBySocks(socket: Socket, proxy: ProxyConfig, target: Target): Promise<void> {
  await negotiateLogin(socket, proxy)
  const port = Buffer.alloc(2)
  port.writeUInt16BE(target.port)
  socket.write(Buffer.concat([Buffer.of(version, 1, 0), addressOf(target.host), port]))
  const [proxyVersion, answer = 1, , kind = 0] = await readBytes(socket, proxy, 4)
  if (proxyVersion !== version) throw notSocksFailure(proxy)
  if (answer !== 0) {
    const reason = answers[answer] ?? `answer ${answer}`
    throw new ProxyFailed(answer === notAllowed ? 'forbidden' : 'unreachable', proxy, `SOCKS5: ${reason}`)
  }
  // The address that the proxy bound is not needed, but must be read before the data that follows.
  const length =
    kind === 1 ? 4 : kind === 4 ? 16 : kind === 3 ? (await readBytes(socket, proxy, 1))[0]! : undefined
  if (length === undefined) throw notSocksFailure(proxy)
  await readBytes(socket, proxy, length + 2)
}

/** Agrees on a login method, and logs in. */
export async function negotiateLogin(socket: Socket, proxy: ProxyConfig): Promise<void> {
  const { username, password = '' } = proxy
  const methods = username === undefined ? [withoutLogin] : [withoutLogin, withPassword]
  socket.write(Buffer.of(version, methods.length, ...methods))
  const [proxyVersion, method = 255] = await readBytes(socket, proxy, 2)
  if (proxyVersion !== version) throw notSocksFailure(proxy)
  if (method === withoutLogin) return
  if (method !== withPassword || username === undefined)
    throw new ProxyFailed('login', proxy, 'SOCKS5: it wants another way to log in')
  socket.write(Buffer.concat([Buffer.of(1), lengthPrefixed(username), lengthPrefixed(password)]))
  const [, state] = await readBytes(socket, proxy, 2)
  if (state !== 0) throw new ProxyFailed('login', proxy, `SOCKS5: status ${state}`)
}

const notSocksFailure = (proxy: ProxyConfig): ProxyFailed =>
  new ProxyFailed('other_language', proxy, 'not SOCKS5')

/** The bytes of a text after their number; the configuration limits user and password to 255. */
function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.of(bytes.length), bytes])
}

function addressOf(host: string): Buffer {
  const family = isIP(host)
  if (family === 4) return Buffer.of(1, ...host.split('.').map(Number))
  if (family === 6) return Buffer.concat([Buffer.of(4), bytesOfIpv6(host)])
  return Buffer.concat([Buffer.of(3), lengthPrefixed(host)])
}

/** The 16 bytes of an address, which the URL standard first writes with hexadecimal groups alone. */
function bytesOfIpv6(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [groups(head), groups(tail ?? '')]
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  const bytes = Buffer.alloc(16)
  for (const [at, group] of all.entries()) bytes.writeUInt16BE(group, at * 2)
  return bytes
}

/** Reads this many bytes and no more: the rest belongs to the protocol inside the tunnel. */
async function readBytes(socket: Socket, proxy: ProxyConfig, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null
    if (bytes?.length === count) return bytes
    if (socket.readableEnded || socket.destroyed || bytes !== null)
      throw new ProxyFailed('away', proxy, 'it closed the connection', socket.errored)
    await readable(socket, proxy)
  }
}

function readable(socket: Socket, proxy: ProxyConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      socket.off('readable', onReadable).off('end', onReadable).off('error', onError).off('close', onReadable)
      if (error) reject(new ProxyFailed('away', proxy, codeOf(error), error))
      else resolve()
    }
    const onReadable = (): void => settle()
    const onError = (error: Error): void => settle(error)
    socket.on('readable', onReadable).on('end', onReadable).on('error', onError).on('close', onReadable)
  })
}
