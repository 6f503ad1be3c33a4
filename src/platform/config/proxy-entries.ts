import { isIP } from 'node:net'
import type { Env, Typed } from '#platform/env'
import type { ProxiesConfig, ProxyConfig } from './config.ts'
import { refuse } from './refuse.ts'
import { type Sentence, words } from './words.ts'
import type { Place } from './yaml-reader.ts'

const kinds: Readonly<Record<string, { protocol: ProxyConfig['protocol']; port: number }>> = {
  'http:': { protocol: 'http', port: 80 },
  'https:': { protocol: 'https', port: 443 },
  // Names go to the proxy by either spelling: where vendors are reached through one, the names here are often wrong.
  'socks:': { protocol: 'socks5', port: 1080 }, // desktops set it for programs to guess
  'socks5:': { protocol: 'socks5', port: 1080 },
  'socks5h:': { protocol: 'socks5', port: 1080 },
}

/** SOCKS counts user and password in one byte. */
const longestLogin = 255

const expected: Sentence = {
  en: 'the address of a proxy, such as http://user:password@proxy.example:3128, https://… or socks5://…',
  fa: 'نشانی پراکسی، مانند http://user:password@proxy.example:3128 یا https://… یا socks5://…',
}

/** `proxy` of a provider; `direct` keeps it from that of the environment. */
export function readProxy(place: Place): ProxyConfig | 'direct' {
  const orDirect = { en: `${expected.en}, or direct`, fa: `${expected.fa}، یا direct` }
  const text = place.secret(orDirect)
  return text === 'direct' ? 'direct' : (parse(text) ?? place.unusable(orDirect))
}

/** The variables by which proxies are known everywhere. They are there for other programs too, so what is not needed is not read. */
export function readProxies(env: Env): ProxiesConfig {
  const http = fromVariable(env.httpProxy ?? env.allProxy)
  const https = fromVariable(env.httpsProxy ?? env.allProxy)
  return {
    ...(http && { http }),
    ...(https && { https }),
    direct: http || https ? readDirect(env.noProxy) : [],
  }
}

/** What is typed may hold a password, so the sentence does not repeat it. */
function fromVariable(typed: Typed | undefined): ProxyConfig | undefined {
  return typed && (parse(typed.value) ?? refuse(words.unusable(typed.name, expected)))
}

/** Undefined for what is no such address. Without a protocol it is HTTP, as everywhere. */
function parse(text: string): ProxyConfig | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  const kind = url ? kinds[url.protocol] : undefined
  if (!url || !kind || url.hostname === '' || url.search !== '' || url.hash !== '') return undefined
  if (url.pathname !== '' && url.pathname !== '/') return undefined
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (username === undefined || password === undefined) return undefined
  return {
    protocol: kind.protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || kind.port),
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
  }
}

function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text)
    return Buffer.byteLength(plain) <= longestLogin ? plain : undefined
  } catch {
    return undefined
  }
}

/** Other programs may understand what is left out here. */
const readDirect = (typed: Typed | undefined): string[] =>
  typed?.value.split(/[\s,]+/).filter((rule) => rule !== '' && isRule(rule)) ?? []

/** What NO_PROXY may hold; `platform/proxy` reads it. */
function isRule(text: string): boolean {
  if (isNetwork(text)) return true // before the colons of IPv6 are taken for one of a port
  const [, bracketed, after] = /^\[([^\]]*)\](.*)$/.exec(text) ?? []
  const [host = '', port = ''] =
    bracketed === undefined && isIP(text) === 0 ? text.split(':') : [bracketed ?? text, after?.slice(1)]
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) return false
  if (!host.includes('/'))
    return host === '*' || isIP(host) !== 0 || isPrefix(host) || /^(\*?\.)?[^*:/[\]]+$/.test(host)
  return isNetwork(host)
}

/** `192.168.*`, `10.*.*.*` */
const isPrefix = (text: string): boolean => /^(?:\d{1,3}\.){1,3}\*(?:\.\*){0,2}$/.test(text)

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const longest = { 4: 32, 6: 128 }[isIP(address)] ?? -1
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= longest
}
